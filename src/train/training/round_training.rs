//! The training of the nets of a round: one after the other here, or a job with a part for each net.

use super::fit::fit;
use super::net::Net;
use super::plan::{Plan, Round, Weights};
use super::rounding::rounded_for;
use super::shard::{Label, pack, repeated, select, some_positions};
use gammond_base::checksum::sha256;
use gammond_base::rng::stream;
use gammond_base::stop::Stop;
use gammond_engine::engine::EngineError;
use gammond_engine::eval::nets::Role;
use gammond_engine::nn::CpuLevel;
use gammond_job::{BadPart, Control, Header, Job, Progress};
use std::collections::BTreeMap;

/// Number of positions that the first layer of a net is rounded for.
const ROUNDED_FOR: usize = 400_000;

/// The nets that a run trains, in this order; those that its plan leaves out are their parents' work ([`Role::parent`]).
pub(crate) const TRAINED: [Role; 10] = [
    Role::Contact,
    Role::Crashed,
    Role::Ahead,
    Role::Behind,
    Role::Board,
    Role::Anchor,
    Role::AnchorBoard,
    Role::AheadBoard,
    Role::BehindAnchor,
    Role::Race,
];

/// A round that has its labels.
pub(super) struct RoundTraining<'a> {
    pub(super) plan: &'a Plan,
    pub(super) number: usize,
    pub(super) round: &'a Round,
    /// Nets before the round.
    pub(super) nets: BTreeMap<Role, Net>,
    pub(super) pool: &'a [Label],
}

/// A net after a round.
pub(super) struct TrainedNet {
    pub(super) net: Net,
    /// Its line of the log; none when there was no label for it.
    pub(super) line: Option<String>,
}

impl RoundTraining<'_> {
    /// Returns the nets that the round trains, in order.
    pub(super) fn roles(&self) -> Vec<Role> {
        let roles = TRAINED.into_iter();
        roles.filter(|role| self.nets.contains_key(role)).collect()
    }

    /// Returns the net that learns from a label.
    fn role_of(&self, label: &Label) -> Role {
        let role = match label.kind {
            1 => Role::Race,
            2 => Role::Crashed,
            _ => Role::in_contact(&label.position),
        };
        let mut line = role.line();
        line.find(|role| self.nets.contains_key(role))
            .unwrap_or(role)
    }

    /// Trains a net and rounds its first layer; none when it was stopped before.
    pub(super) fn trained(&self, role: Role, control: &mut Control<'_>) -> Option<TrainedNet> {
        let (plan, number, round) = (self.plan, self.number, self.round);
        let net = self.nets.get(&role)?.clone();
        let mut families = select(self.pool, |label| self.role_of(label) == role);
        if round.weights != Weights::default() {
            let mut rng = stream(plan.seed ^ 0x7765_6967, number as u64);
            let weight = |label: &Label| round.weights.of(label);
            families = repeated(self.pool, &families, &mut rng, weight);
        }
        if families.is_empty() {
            return Some(TrainedNet { net, line: None });
        }
        let seen = some_positions(self.pool, &families, ROUNDED_FOR);
        let labels = (self.pool, families);
        let (net, line) = fit(plan, number, round, net, labels, role.name(), control)?;
        Some(TrainedNet {
            net: rounded_for(&net, &seen).unwrap_or(net),
            line: serde_json::to_string(&line).ok(),
        })
    }
}

impl TrainedNet {
    fn to_bytes(&self) -> Vec<u8> {
        let line = self.line.as_deref().unwrap_or_default();
        [line.as_bytes(), b"\n", &self.net.to_bytes()].concat()
    }

    fn from_bytes(bytes: &[u8]) -> Option<TrainedNet> {
        let (line, net) = bytes.split_at(bytes.iter().position(|&byte| byte == b'\n')?);
        let line = std::str::from_utf8(line).ok()?;
        Some(TrainedNet {
            net: Net::from_bytes(net.get(1..)?).ok()?,
            line: (!line.is_empty()).then(|| line.to_owned()),
        })
    }
}

impl Job for RoundTraining<'_> {
    type Sum = Vec<TrainedNet>;
    type Error = EngineError;

    fn header(&self) -> Header {
        let nets = self.nets.values().map(Net::to_bytes);
        let nets: Vec<u8> = nets.flatten().collect();
        Header::new("nets", 1)
            .field("seed", self.plan.seed)
            .field("batch", self.plan.batch)
            .field("keep", self.plan.keep)
            .field("held_out", self.plan.held_out)
            .field("number", self.number)
            .settings("round", self.round)
            .field("before", sha256(&nets))
            .field("labels", sha256(&pack(self.pool)))
            // Sums of floats differ between processors in their last bits.
            .field("processor", CpuLevel::detect().name())
    }

    fn start(&self) -> Vec<TrainedNet> {
        Vec::new()
    }

    fn parts(&self) -> Option<u64> {
        Some(self.roles().len() as u64)
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, EngineError> {
        let Some(role) = self.roles().get(number as usize).copied() else {
            return Ok(None);
        };
        let mut control = Control::new(stop.clone(), |_| {});
        let trained = self.trained(role, &mut control);
        Ok(trained.map(|trained| trained.to_bytes()))
    }

    fn merge(&self, sum: &mut Vec<TrainedNet>, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let role = self.roles().get(number as usize).copied();
        let before = role.and_then(|role| self.nets.get(&role));
        let trained = TrainedNet::from_bytes(bytes).ok_or(BadPart)?;
        if before.map(Net::layout) != Some(trained.net.layout()) {
            return Err(BadPart);
        }
        sum.push(trained);
        Ok(())
    }

    fn progress(&self, _: &Vec<TrainedNet>, parts: u64) -> Progress {
        Progress::new("nets", parts, self.parts())
    }
}
