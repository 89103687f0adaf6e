//! `gammond net`: a net file's contents, making one from float weights, its weights as a picture.

use crate::{Common, Failure, Format, print, shown_path, write_drawing};
use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use gammond_arena::player::classic::{ClassicFile, ClassicNet};
use gammond_base::checksum::sha256;
use gammond_base::escape::Terminal;
use gammond_base::files;
use gammond_base::journal::write_whole;
use gammond_engine::eval::Evaluator as _;
use gammond_engine::eval::gnubg::WeightsFile;
use gammond_engine::eval::nets::{ClassNet, EMBEDDED, EmbeddedNet, InputSet, NetError, Role};
use gammond_engine::eval::puretd::{PureTdEvaluator, PureTdOutput};
use gammond_engine::nn::format::{FILE_BYTES_MAX, native, pytorch, safetensors};
use gammond_engine::nn::{DenseNet, SHIFT_MAX, SecondBits, WIDTH_MAX, quantise};
use gammond_report::render::weights;
use sha2::{Digest as _, Sha256};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: NetCommand,
}

#[derive(clap::Subcommand, Debug)]
enum NetCommand {
    /// Shape, inputs, quantisation and checksums of net files.
    #[command(after_help = "Example: gammond net info embedded")]
    Info {
        /// Files; `embedded` for the nets built into the program, `embedded:fast` for the fast one of contact.
        #[arg(required = true, value_name = "FILE|embedded")]
        nets: Vec<String>,
    },
    /// Make a net file from float weights (safetensors).
    #[command(
        after_help = "Example: gammond net quantise contact.safetensors contact.net --class contact"
    )]
    Quantise {
        /// Float weights.
        #[arg(value_name = "IN.safetensors")]
        input: PathBuf,
        /// Net file to write.
        #[arg(value_name = "OUT.net")]
        output: PathBuf,
        /// Name in the header; default: the output's file name.
        #[arg(long)]
        name: Option<String>,
        /// Class in the header.
        #[arg(long, value_parser = PossibleValuesParser::new(Role::nets().map(Role::name)))]
        class: String,
        /// Bits of the second layer's weights.
        #[arg(long, default_value = "13", value_name = "8|13")]
        bits: Bits,
        /// Largest shift of the first layer's scale of 255; less when sums would not fit.
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=i64::from(SHIFT_MAX)))]
        shift: u32,
    },
    /// Draw the neurons of the first layer, each as a small board with its bias and its weights into the next layer: an
    /// SVG, or a PNG where the output's name ends so.
    #[command(after_help = "Example: gammond net draw contact.net --output contact.svg")]
    Draw {
        /// Net file, float net (safetensors) or GNU Backgammon's weights, or the name of an embedded net
        /// (`contact.net`).
        net: String,
        /// Class of GNU Backgammon's net: contact, crashed, race or pruning.
        #[arg(long, default_value = "contact")]
        class: String,
        /// File to write; default standard output.
        #[arg(long, short)]
        output: Option<PathBuf>,
        /// Number of neurons, those with the largest weights first.
        #[arg(long, default_value_t = 24, value_parser = RangedU64ValueParser::<usize>::new().range(1..=WIDTH_MAX as u64))]
        neurons: usize,
    },
}

/// Bits of a second layer's weights.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Bits {
    #[value(name = "8")]
    Eight,
    #[value(name = "13")]
    Thirteen,
}

impl From<NetError> for Failure {
    fn from(error: NetError) -> Self {
        Failure::file(error)
    }
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    match &args.action {
        NetCommand::Info { nets } => info(common, nets)?,
        NetCommand::Quantise {
            input,
            output,
            name,
            class,
            bits,
            shift,
        } => {
            let bits = match bits {
                Bits::Eight => SecondBits::Eight,
                Bits::Thirteen => SecondBits::Thirteen,
            };
            quantise_file(input, output, name.as_deref(), class, bits, *shift)?;
        }
        NetCommand::Draw {
            net,
            class,
            output,
            neurons,
        } => draw(net, class, output.as_deref(), *neurons)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    files::read(path, FILE_BYTES_MAX).map_err(Failure::in_file(path))
}

/// Returns a file, or an embedded net by its name.
fn open(name: &str) -> Result<Vec<u8>, Failure> {
    match EMBEDDED.iter().find(|net| net.name() == name) {
        Some(net) if !Path::new(name).exists() => Ok(net.bytes()),
        _ => read(Path::new(name)),
    }
}

fn info(common: &Common, nets: &[String]) -> Result<(), Failure> {
    for name in nets {
        let is_meant = |file: &str| match name.as_str() {
            "embedded" => true,
            "embedded:fast" => file == "contact-fast.net",
            _ => false,
        };
        let mut embedded = EMBEDDED
            .iter()
            .filter(|net| is_meant(net.name()))
            .peekable();
        if embedded.peek().is_none() {
            print(describe(common, name, &open(name)?)?.as_bytes())?;
        }
        for net in embedded {
            print(describe(common, net.name(), &net.bytes())?.as_bytes())?;
        }
    }
    Ok(())
}

/// A net that is no net file of gammond's: its kind, its layers, its inputs.
struct OtherNet {
    kind: &'static str,
    name: String,
    layers: Vec<usize>,
    inputs: String,
    sizes: [LayerSizes; 2],
}

/// Number and size of the weights and biases of a layer.
struct LayerSizes {
    weights: usize,
    /// Root mean square of the weights.
    rms: f64,
    /// The largest absolute value of a weight.
    largest: f64,
    biases: usize,
    bias_rms: f64,
}

impl LayerSizes {
    fn of(weights: &[f32], biases: &[f32]) -> LayerSizes {
        let rms = |all: &[f32]| {
            let squares: f64 = all.iter().map(|&one| f64::from(one).powi(2)).sum();
            (squares / all.len().max(1) as f64).sqrt()
        };
        let largest = weights
            .iter()
            .fold(0.0, |most: f32, one| most.max(one.abs()));
        LayerSizes {
            weights: weights.len(),
            rms: rms(weights),
            largest: f64::from(largest),
            biases: biases.len(),
            bias_rms: rms(biases),
        }
    }
}

impl LayerSizes {
    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "weights": self.weights, "rms": self.rms, "largest": self.largest,
            "biases": self.biases, "bias_rms": self.bias_rms,
        })
    }
}

impl Display for LayerSizes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} weights of size {:.4} (root mean square), at most {:.4}; {} biases of size {:.4}",
            self.weights, self.rms, self.largest, self.biases, self.bias_rms
        )
    }
}

impl Drawn {
    /// Returns the sizes of the first layer and of the next one.
    fn sizes(&self) -> [LayerSizes; 2] {
        [
            LayerSizes::of(&self.rows, &self.biases),
            LayerSizes::of(&self.next, &self.next_biases),
        ]
    }
}

/// Returns the nets of a file of another kind: float weights, a classic net, PureTD's net, GNU Backgammon's weights.
fn other_nets(name: &str, bytes: &[u8]) -> Result<Vec<OtherNet>, Failure> {
    if safetensors::looks_like_one(bytes) {
        let float = safetensors::read(bytes).map_err(Failure::in_file(name))?;
        let shape = float.shape;
        let inputs = InputSet::of_size(shape.inputs).map_or("unknown".to_owned(), InputSet::name);
        return Ok(vec![OtherNet {
            kind: "float weights",
            name: name.to_owned(),
            sizes: neurons_of(name, bytes, "")?.sizes(),
            layers: vec![
                shape.inputs,
                shape.width,
                shape.second,
                gammond_engine::nn::RESULTS,
            ],
            inputs,
        }]);
    }
    if let Some(text) = ClassicFile::text_in(bytes) {
        let file = ClassicFile::parse(text).map_err(Failure::in_file(name))?;
        let shape = file.net.shape();
        return Ok(vec![OtherNet {
            kind: "classic net",
            name: file
                .made
                .unwrap_or_else(|| "without a record of its training".to_owned()),
            layers: shape.layers().to_vec(),
            sizes: classic_neurons(name, &file.net).sizes(),
            inputs: shape.representation().name().to_owned(),
        }]);
    }
    if pytorch::looks_like_one(bytes) {
        return Ok(vec![puretd(name, bytes)?]);
    }
    let file = WeightsFile::parse(bytes).map_err(Failure::in_file(name))?;
    let version = file.version.as_str();
    let nets = [
        ("contact", &file.contact),
        ("race", &file.race),
        ("crashed", &file.crashed),
        ("pruning contact", &file.prune_contact),
        ("pruning crashed", &file.prune_crashed),
        ("pruning race", &file.prune_race),
    ];
    let one = |(class, net): (&str, &DenseNet)| OtherNet {
        kind: "GNU Backgammon's weights",
        name: class.to_owned(),
        layers: vec![net.inputs, net.hidden, net.outputs],
        sizes: [
            LayerSizes::of(&net.hidden_weights, &net.hidden_biases),
            LayerSizes::of(&net.output_weights, &net.output_biases),
        ],
        inputs: format!("version {version}"),
    };
    Ok(nets.map(one).into_iter().collect())
}

fn puretd(name: &str, bytes: &[u8]) -> Result<OtherNet, Failure> {
    let net = PureTdEvaluator::parse(bytes).map_err(Failure::in_file(name))?;
    let file = pytorch::read(bytes).map_err(Failure::in_file(name))?;
    let size = |layer: usize| {
        let layer = file.layers.get(layer);
        layer.map_or(LayerSizes::of(&[], &[]), |layer| {
            LayerSizes::of(&layer.weights, &layer.biases)
        })
    };
    Ok(OtherNet {
        kind: match net.output() {
            PureTdOutput::Chances => "PureTD's net of five chances",
            PureTdOutput::Equity => "PureTD's net of one equity",
        },
        name: net.name().to_owned(),
        layers: net.widths().to_vec(),
        sizes: [size(0), size(1)],
        inputs: "perspective196".to_owned(),
    })
}

/// Describes a file that is no net file of gammond's.
fn describe_others(common: &Common, name: &str, bytes: &[u8]) -> Result<String, Failure> {
    let (nets, sum) = (other_nets(name, bytes)?, sha256(bytes));
    if common.format == Some(Format::Json) {
        let nets: Vec<_> = (nets.iter())
            .map(|net| {
                serde_json::json!({
                    "kind": net.kind, "name": net.name, "layers": net.layers, "inputs": net.inputs,
                    "sizes": net.sizes.each_ref().map(LayerSizes::json),
                })
            })
            .collect();
        let value = serde_json::json!({
            "file": name, "nets": nets, "bytes": bytes.len(), "sha256": sum,
        });
        return Ok(format!("{value}\n"));
    }
    let mut text = format!("{}\n", shown_path(Path::new(name)));
    for net in nets {
        let layers: Vec<String> = net.layers.iter().map(usize::to_string).collect();
        text.push_str(&format!(
            "  net      {}: {}\n  layers   {}\n  inputs   {}\n  first    {}\n  next     {}\n",
            net.kind,
            Terminal::new(&net.name),
            layers.join(" - "),
            net.inputs,
            net.sizes[0],
            net.sizes[1]
        ));
    }
    text.push_str(&format!(
        "  file     {} bytes\n  sha256   {sum}\n",
        bytes.len()
    ));
    Ok(text)
}

fn describe(common: &Common, name: &str, bytes: &[u8]) -> Result<String, Failure> {
    let is_known = pytorch::looks_like_one(bytes)
        || safetensors::looks_like_one(bytes)
        || ClassicFile::text_in(bytes).is_some()
        || WeightsFile::parse(bytes).is_ok();
    if !native::looks_like_one(bytes) && is_known {
        return describe_others(common, name, bytes);
    }
    let judge = ClassNet::parse(name, bytes)?;
    let parts = judge.net().parts();
    let shape = parts.shape;
    let digest: String = (Sha256::digest(bytes).iter())
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let scale = 255 << parts.shift;
    let [first, next] = neurons_of(name, bytes, "")?.sizes();
    let bits = match parts.bits {
        SecondBits::Eight => 8,
        SecondBits::Thirteen => 13,
    };
    if common.format == Some(Format::Json) {
        let value = serde_json::json!({
            "file": name, "name": judge.name(), "class": judge.class(),
            "inputs": judge.inputs().name(),
            "layers": [shape.inputs, shape.width, shape.second, gammond_engine::nn::RESULTS],
            "first_layer_scale": scale, "second_layer_bits": bits,
            "bytes": bytes.len(), "crc32": format!("{:08x}", judge.checksum()),
            "sha256": digest, "sizes": [first.json(), next.json()], "level": judge.net().level().name(),
        });
        return Ok(format!("{value}\n"));
    }
    Ok(format!(
        "{}\n  net      {} for class {}\n  layers   {} - {} - {} - {}\n  inputs   {}\n  first    {first}\n  \
         next     {next}\n  integers first layer 16 bits at scale {scale}, second layer {bits} bits\n  \
         file     {} bytes, crc32 {:08x}\n  sha256   {digest}\n  runs on  {}\n",
        shown_path(Path::new(name)),
        judge.name(),
        judge.class(),
        shape.inputs,
        shape.width,
        shape.second,
        gammond_engine::nn::RESULTS,
        judge.inputs().name(),
        bytes.len(),
        judge.checksum(),
        judge.net().level().name(),
    ))
}

fn quantise_file(
    input: &Path,
    output: &Path,
    name: Option<&str>,
    class: &str,
    bits: SecondBits,
    shift: u32,
) -> Result<(), Failure> {
    let bytes = read(input)?;
    if native::looks_like_one(&bytes) {
        return Err(Failure::in_file(input)(
            "is a net file already, expected float weights",
        ));
    }
    let float = safetensors::read(&bytes).map_err(Failure::in_file(input))?;
    let size = float.shape.inputs;
    let inputs = InputSet::of_size(size).ok_or_else(|| {
        Failure::in_file(input)(format!("{size} inputs; no known set has so many"))
    })?;
    let parts = quantise(&float, &inputs.units(), bits, shift).map_err(Failure::in_file(input))?;
    let stem = output.file_stem().map(|stem| stem.to_string_lossy());
    let label = native::Label {
        name: name.map_or_else(|| stem.unwrap_or_default().into_owned(), str::to_owned),
        inputs: inputs.name(),
        class: class.to_owned(),
    };
    let bytes = native::write(&label, &parts);
    is_replaceable(input, output)?;
    // The written file is read again before it replaces anything.
    ClassNet::parse(&output.display().to_string(), &bytes)?;
    write_whole(output, &bytes).map_err(Failure::in_file(output))?;
    let text = format!(
        "{}: {} bytes, crc32 {:08x}, first layer scale {}\n",
        shown_path(output),
        bytes.len(),
        native::checksum(&bytes).unwrap_or_default(),
        255 << parts.shift
    );
    print(text.as_bytes()).map(drop)
}

/// Refuses an output that is the input, or a file with other contents than a net.
fn is_replaceable(input: &Path, output: &Path) -> Result<(), Failure> {
    let same = |a: &Path, b: &Path| Some(a.canonicalize().ok()? == b.canonicalize().ok()?);
    let wrong = Failure::in_file::<&str>(output);
    if same(input, output) == Some(true) {
        return Err(wrong(
            "is the input, expected another file (example: race.net)",
        ));
    }
    let has_contents = |data: std::fs::Metadata| data.is_file() && data.len() > 0;
    if std::fs::metadata(output).is_ok_and(has_contents) && !native::looks_like_one(&read(output)?)
    {
        return Err(wrong(
            "is not a net file, expected a net or a new file (example: race.net); left unchanged",
        ));
    }
    Ok(())
}

fn draw(net: &str, class: &str, output: Option<&Path>, neurons: usize) -> Result<(), Failure> {
    if net == "embedded" && !Path::new(net).exists() {
        let names = EMBEDDED.each_ref().map(EmbeddedNet::name).join(", ");
        let text = format!("embedded: name one of the nets in the program: {names}");
        return Err(Failure::usage(text));
    }
    let bytes = open(net)?;
    let drawn = neurons_of(net, &bytes, class)?;
    let layer = weights::Layer {
        name: &drawn.name,
        rows: &drawn.rows,
        biases: &drawn.biases,
        next: &drawn.next,
        next_biases: &drawn.next_biases,
        ..drawn.layer
    };
    let picture = weights::svg(&layer, neurons);
    match output {
        Some(path) => write_drawing(path, &picture),
        None => print(picture.as_bytes()).map(drop),
    }
}

/// A first layer to be drawn with the weights into the next one. The borrowed parts of `layer` are empty.
struct Drawn {
    name: String,
    rows: Vec<f32>,
    biases: Vec<f32>,
    next: Vec<f32>,
    next_biases: Vec<f32>,
    layer: weights::Layer<'static>,
}

/// Returns the layout of a net of ours.
fn ours(width: usize) -> weights::Layer<'static> {
    weights::Layer {
        name: "",
        rows: &[],
        width,
        who: ["the player on roll", "the opponent, in its own numbering"],
        sides: [0, 182],
        places: 26,
        steps: 7,
        stride: 7,
        rest: "the other groups of inputs",
        biases: &[],
        next: &[],
        next_biases: &[],
    }
}

fn neurons_of(net: &str, bytes: &[u8], class: &str) -> Result<Drawn, Failure> {
    if native::looks_like_one(bytes) {
        let judge = ClassNet::parse(net, bytes)?;
        let parts = judge.net().parts();
        let unit = 1.0 / (255 << parts.shift) as f32;
        let floats = |all: &[i16]| all.iter().map(|&one| f32::from(one) * unit).collect();
        let rows = parts.second.chunks_exact(parts.shape.width.max(1));
        let one = parts.activation.one() as f32;
        let next = (rows.zip(&parts.scales)).flat_map(|(row, scale)| {
            row.iter()
                .map(move |&weight| f32::from(weight) * scale * one)
        });
        return Ok(Drawn {
            name: judge.name().to_owned(),
            rows: floats(&parts.rows),
            biases: floats(&parts.bias),
            next: next.collect(),
            next_biases: parts.second_bias.clone(),
            layer: ours(parts.shape.width),
        });
    }
    if safetensors::looks_like_one(bytes) {
        let float = safetensors::read(bytes).map_err(Failure::in_file(net))?;
        let size = float.shape.inputs;
        InputSet::of_size(size).ok_or_else(|| {
            Failure::in_file(net)(format!("{size} inputs; no known set has so many"))
        })?;
        return Ok(Drawn {
            name: net.to_owned(),
            rows: float.w1,
            biases: float.b1,
            next: float.w2,
            next_biases: float.b2,
            layer: ours(float.shape.width),
        });
    }
    if let Some(text) = ClassicFile::text_in(bytes) {
        let file = ClassicFile::parse(text).map_err(Failure::in_file(net))?;
        return Ok(classic_neurons(net, &file.net));
    }
    if pytorch::looks_like_one(bytes) {
        let text = "nets of PyTorch are not drawn, expected one of gammond, a classic net or gnubg's weights";
        return Err(Failure::in_file(net)(text));
    }
    gnubg_neurons(net, bytes, class)
}

fn gnubg_neurons(net: &str, bytes: &[u8], class: &str) -> Result<Drawn, Failure> {
    let file = WeightsFile::parse(bytes).map_err(Failure::in_file(net))?;
    let dense = match class {
        "contact" => file.contact,
        "crashed" => file.crashed,
        "race" => file.race,
        "pruning" => file.prune_contact,
        other => {
            let text = format!("--class {other}, expected contact, crashed, race or pruning");
            return Err(Failure::usage(text));
        }
    };
    // The opponent is first.
    let (sides, places, rest) = match class {
        "race" => (
            [107, 0],
            23,
            "the opponent's 14 of checkers off and its crossovers, then the player's",
        ),
        "pruning" => ([100, 0], 25, "nothing"),
        _ => (
            [100, 0],
            25,
            "checkers off and the other 22 of the player, then of the opponent",
        ),
    };
    Ok(Drawn {
        name: format!("{net} ({class}, version {})", file.version.as_str()),
        rows: dense.hidden_weights,
        biases: dense.hidden_biases,
        next: dense.output_weights,
        next_biases: dense.output_biases,
        layer: weights::Layer {
            sides,
            places,
            rest,
            steps: 4,
            stride: 4,
            ..ours(dense.hidden)
        },
    })
}

fn classic_neurons(name: &str, net: &ClassicNet) -> Drawn {
    let shape = net.shape();
    let (inputs, width, outputs) = match shape.layers() {
        [inputs, width, outputs, ..] => (*inputs, *width, *outputs),
        _ => (0, 0, 0),
    };
    let (sides, steps, stride) = shape.representation().points();
    // Biases stand before the weights of a layer, and those have a row for each input.
    let mut left = net.parameters().iter().copied();
    let mut part = |count: usize| left.by_ref().take(count).collect::<Vec<f32>>();
    let (biases, rows) = (part(width), part(inputs * width));
    let (next_biases, into) = (part(outputs), part(width * outputs));
    let into = |output: usize| into.iter().copied().skip(output).step_by(outputs.max(1));
    Drawn {
        name: format!("{name} ({})", shape.representation().name()),
        rows,
        biases,
        next: (0..outputs).flat_map(into).collect(),
        next_biases,
        layer: weights::Layer {
            who: ["white", "black, both as white counts points"],
            sides,
            places: 24,
            steps,
            stride,
            rest: shape.representation().rest(),
            ..ours(width)
        },
    }
}
