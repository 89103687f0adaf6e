//! Commands that wait for their time, and the other outputs of the machine.

use super::interface::{Ask, Event, Output};
use std::collections::VecDeque;

/// Maximum number of commands that may wait.
const COMMANDS_MAX: usize = 64;

#[derive(Clone, Debug)]
struct Command {
    text: String,
    /// True for a command that answers the present board and is dropped with it.
    decision: bool,
}

/// Outputs and commands that leave the machine: outputs at once, commands at their pace.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox {
    commands: VecDeque<Command>,
    outputs: VecDeque<Output>,
    /// Time of the next command.
    next_send: u64,
    /// Time of the last command.
    pub(super) last_sent: u64,
    /// Number of queries sent to the engine.
    questions: u64,
}

impl Outbox {
    /// Begins a connection. Only events and errors of the old one are kept.
    pub(super) fn connected(&mut self, now: u64) {
        self.commands.clear();
        // A login or question of the old connection must not reach the new one.
        let kept = |output: &Output| matches!(output, Output::Event(_) | Output::Fatal(_));
        self.outputs.retain(kept);
        self.next_send = now;
        self.last_sent = now;
    }

    /// Appends a command.
    pub(super) fn send(&mut self, text: impl Into<String>) {
        if self.commands.len() < COMMANDS_MAX {
            // FIBS-35: one line, whatever a policy or a name holds.
            let text = text.into().replace(|c: char| c.is_control(), " ");
            self.commands.push_back(Command {
                text,
                decision: false,
            });
        }
    }

    /// Puts a command in front of all that wait.
    pub(super) fn send_first(&mut self, text: String) {
        self.commands.push_front(Command {
            text,
            decision: false,
        });
    }

    /// Puts the answer to the present board in front of all that wait.
    pub(super) fn send_decision(&mut self, text: String) {
        self.commands.push_front(Command {
            text,
            decision: true,
        });
    }

    /// Drops answers to a board that is no longer shown.
    pub(super) fn drop_decisions(&mut self) {
        self.commands.retain(|command| !command.decision);
    }

    /// Drops all commands.
    pub(super) fn clear(&mut self) {
        self.commands.clear();
    }

    /// Returns true if this command waits.
    pub(super) fn holds(&self, text: &str) -> bool {
        self.commands.iter().any(|command| command.text == text)
    }

    /// Appends an output, which does not wait.
    pub(super) fn output(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    /// Appends an event.
    pub(super) fn event(&mut self, event: Event) {
        self.output(Output::Event(Box::new(event)));
    }

    /// Queries the engine. Returns the number of the query.
    pub(super) fn ask(&mut self, ask: Ask) -> u64 {
        self.questions += 1;
        self.output(Output::Decide(self.questions, Box::new(ask)));
        self.questions
    }

    /// Removes the next output that does not wait.
    pub(super) fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Removes the next command, if its time has come.
    pub(super) fn next_command(&mut self, now: u64, pace_ms: u64) -> Option<String> {
        if now < self.next_send {
            return None;
        }
        let command = self.commands.pop_front()?;
        self.next_send = now + pace_ms;
        self.last_sent = now;
        Some(command.text)
    }

    /// Returns the time of the next command; `None` if none waits.
    pub(super) fn next_send(&self) -> Option<u64> {
        (!self.commands.is_empty()).then_some(self.next_send)
    }
}
