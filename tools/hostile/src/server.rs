//! A `gammond serve` of our own under a memory limit, with a false systemd that listens for its
//! watchdog.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A folder that is removed with everything in it.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new() -> io::Result<Scratch> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gammond-hostile-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path)?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The unit's `MemoryMax=`: a control group where we may make one, else a limit of the data segment.
pub struct MemoryLimit {
    group: Option<PathBuf>,
    peak: &'static str,
    mib: u64,
}

impl MemoryLimit {
    pub fn new(mib: u64) -> MemoryLimit {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gammond-hostile-{}-{number}", std::process::id());
        let bytes = (mib << 20).to_string();
        let versions = [
            (
                "/sys/fs/cgroup/memory",
                "memory.limit_in_bytes",
                "memory.max_usage_in_bytes",
            ),
            ("/sys/fs/cgroup", "memory.max", "memory.peak"),
        ];
        for (root, limit, peak) in versions {
            let group = Path::new(root).join(&name);
            if Path::new(root).join("cgroup.procs").exists() && fs::create_dir(&group).is_ok() {
                if fs::write(group.join(limit), &bytes).is_ok() {
                    return MemoryLimit {
                        group: Some(group),
                        peak,
                        mib,
                    };
                }
                let _ = fs::remove_dir(&group);
            }
        }
        MemoryLimit {
            group: None,
            peak: "",
            mib,
        }
    }

    pub fn how(&self) -> String {
        match self.group {
            Some(_) => format!("control group of {} MiB", self.mib),
            None => format!("RLIMIT_DATA of {} MiB", self.mib),
        }
    }

    /// What the shell does before it becomes the program.
    fn shell(&self) -> String {
        match &self.group {
            Some(group) => format!("echo $$ >{}/cgroup.procs; ", group.display()),
            None => format!("ulimit -d {}; ", self.mib << 10),
        }
    }

    /// The most that the group had, kernel buffers and files included.
    pub fn peak_mib(&self) -> Option<f64> {
        let text = fs::read_to_string(self.group.as_ref()?.join(self.peak)).ok()?;
        Some(text.trim().parse::<f64>().ok()? / f64::from(1 << 20))
    }
}

impl Drop for MemoryLimit {
    fn drop(&mut self) {
        if let Some(group) = &self.group {
            for _ in 0..50 {
                if fs::remove_dir(group).is_ok() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// How programs are started.
#[derive(Clone)]
pub struct Setup {
    pub gammond: PathBuf,
    pub memory_mib: u64,
    pub nice: i32,
    pub watchdog: Duration,
}

impl Setup {
    /// A command under the memory limit; `before` is shell text such as `ulimit -n 64; `.
    pub fn command(&self, limit: &MemoryLimit, before: &str) -> Command {
        let nice = match self.nice {
            0 => String::new(),
            nice => format!("nice -n {nice} "),
        };
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(format!("{}{before}exec {nice}\"$@\"", limit.shell()));
        command.arg("sh").arg(&self.gammond);
        command
    }
}

/// The other end of `NOTIFY_SOCKET`.
struct Watchdog {
    fed: Arc<Mutex<Vec<Instant>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    fn new(path: &Path) -> io::Result<Watchdog> {
        let socket = UnixDatagram::bind(path)?;
        socket.set_read_timeout(Some(Duration::from_millis(50)))?;
        let fed = Arc::new(Mutex::new(Vec::new()));
        let over = Arc::new(AtomicBool::new(false));
        let (fed_too, over_too) = (fed.clone(), over.clone());
        let thread = std::thread::spawn(move || {
            // Late reading would be taken for late feeding.
            let _ = rustix::process::setpriority_process(None, -10);
            let mut buffer = [0; 512];
            while !over_too.load(Ordering::Relaxed) {
                if let Ok(length) = socket.recv(&mut buffer)
                    && buffer[..length].starts_with(b"WATCHDOG=1")
                {
                    fed_too.lock().unwrap().push(Instant::now());
                }
            }
        });
        Ok(Watchdog {
            fed,
            over,
            thread: Some(thread),
        })
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// What an attack wants otherwise than by default.
#[derive(Clone, Default)]
pub struct Options {
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// Shell text before the program starts.
    pub before: String,
}

impl Options {
    pub fn arguments(words: &[&str]) -> Options {
        Options {
            arguments: words.iter().map(|&word| word.to_owned()).collect(),
            ..Options::default()
        }
    }
}

pub struct Server {
    pub child: Child,
    pub tcp: SocketAddr,
    pub metrics: SocketAddr,
    pub http: SocketAddr,
    pub unix: PathBuf,
    pub limit: MemoryLimit,
    pub scratch: Scratch,
    watchdog: Watchdog,
    pub started: Instant,
}

impl Server {
    pub fn start(setup: &Setup, options: &Options) -> Result<Server, String> {
        let io = |error: io::Error| error.to_string();
        let scratch = Scratch::new().map_err(io)?;
        let limit = MemoryLimit::new(setup.memory_mib);
        let unix = scratch.0.join("socket");
        let notify = scratch.0.join("notify");
        let watchdog = Watchdog::new(&notify).map_err(io)?;
        let log = fs::File::create(scratch.0.join("stderr")).map_err(io)?;
        let mut child = setup
            .command(&limit, &options.before)
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--metrics",
                "127.0.0.1:0",
                "--http",
                "127.0.0.1:0",
                "--listen",
            ])
            .arg(format!("unix:{}", unix.display()))
            .args(&options.arguments)
            .envs(
                options
                    .environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .env("NOTIFY_SOCKET", &notify)
            .env("WATCHDOG_USEC", setup.watchdog.as_micros().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("{}: {error}", setup.gammond.display()))?;
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let (mut tcp, mut metrics, mut http, mut sockets) = (None, None, None, 0);
        for line in lines.map_while(Result::ok) {
            if let Some(address) = line.strip_prefix("metrics on ") {
                metrics = address.parse().ok();
            } else if let Some(address) = line.strip_prefix("http on ") {
                http = address.parse().ok();
            } else if let Some(address) = line.strip_prefix("listening on ") {
                sockets += 1;
                tcp = tcp.or_else(|| address.parse().ok());
            }
            if sockets >= 2 && metrics.is_some() && http.is_some() {
                break;
            }
        }
        let (Some(tcp), Some(metrics), Some(http)) = (tcp, metrics, http) else {
            let _ = child.kill();
            let _ = child.wait();
            let said = fs::read_to_string(scratch.0.join("stderr")).unwrap_or_default();
            return Err(format!("the server did not start: {}", said.trim()));
        };
        Ok(Server {
            child,
            tcp,
            metrics,
            http,
            unix,
            limit,
            scratch,
            watchdog,
            started: Instant::now(),
        })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A line of `/proc/PID/status` in MiB.
    pub fn memory_mib(&self, field: &str) -> Option<f64> {
        process_mib(self.pid(), field)
    }

    /// Processor seconds that its threads have used, exact to the nanosecond.
    pub fn cpu(&self) -> f64 {
        cpu_seconds(self.pid())
    }

    /// The longest time without a sign of life between two moments.
    pub fn watchdog_gap(&self, from: Instant, to: Instant) -> Duration {
        let fed = self.watchdog.fed.lock().unwrap();
        let mut last = fed
            .iter()
            .rev()
            .find(|&&at| at <= from)
            .copied()
            .unwrap_or(self.started);
        let mut most = Duration::ZERO;
        for &at in fed.iter().filter(|&&at| at > from && at <= to) {
            most = most.max(at - last);
            last = at;
        }
        most.max(to.saturating_duration_since(last))
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        if let Some(pid) = rustix::process::Pid::from_raw(self.pid().cast_signed()) {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }

    /// How it ended, when it does so in time.
    pub fn wait(&mut self, most: Duration) -> Option<ExitStatus> {
        wait(&mut self.child, most)
    }

    pub fn said(&self) -> String {
        fs::read_to_string(self.scratch.0.join("stderr")).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn wait(child: &mut Child, most: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + most;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() > until {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub fn process_mib(pid: u32, field: &str) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find(|line| line.starts_with(field))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024.0)
}

pub fn cpu_seconds(pid: u32) -> f64 {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return 0.0;
    };
    let ns = tasks.flatten().filter_map(|task| {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    ns.sum::<f64>() / 1e9
}
