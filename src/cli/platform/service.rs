//! The server as a service of Windows: its service manager starts it, is shown its state, and asks it to end.

use crate::{Failure, program};
use gammond_server::Handle;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Duration;
use windows_service::service::{
    ServiceControl, ServiceControlAccept, ServiceExitCode, ServiceState, ServiceStatus, ServiceType,
};
use windows_service::service_control_handler::{
    self, ServiceControlHandlerResult, ServiceStatusHandle,
};
use windows_service::service_dispatcher;

/// Windows does not compare the name of a service that has its process for itself.
const NAME: &str = "gammond";

/// Time until the next state at the start and at the end, after which Windows believes that the service hangs.
const NEXT_STATE: Duration = Duration::from_secs(60);

/// Where the state of the service is shown, once this process is one.
static SHOWN: OnceLock<ServiceStatusHandle> = OnceLock::new();
static SERVER: OnceLock<Handle> = OnceLock::new();

/// Returns true in the process of a service.
pub(crate) fn is_running() -> bool {
    SHOWN.get().is_some()
}

/// Runs the program again as a service, with the same arguments; returns when the service has ended.
///
/// # Errors
/// If the service manager has not started this process.
pub(crate) fn run() -> Result<ExitCode, Failure> {
    let ended = service_dispatcher::start(NAME, service_main);
    ended.map_err(|_| {
        Failure::usage(
            "--service is for the service manager of Windows, which is to start this command: \
             sc.exe create gammond binPath= \"C:\\gammond\\gammond.exe serve --service\"",
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Shows that the server is ready, and keeps it to end it; does nothing in the process of a command.
pub(crate) fn started(server: Handle) {
    let _ = SERVER.set(server);
    show(ServiceState::Running, ServiceExitCode::NO_ERROR);
}

extern "system" fn service_main(_: u32, _: *mut *mut u16) {
    let Ok(shown) = service_control_handler::register(NAME, control) else {
        return;
    };
    let _ = SHOWN.set(shown);
    show(ServiceState::StartPending, ServiceExitCode::NO_ERROR);
    let code = match crate::main(program::words()) {
        ExitCode::SUCCESS => ServiceExitCode::NO_ERROR,
        _ => ServiceExitCode::ServiceSpecific(1),
    };
    show(ServiceState::Stopped, code);
}

/// Answers the service manager.
fn control(asked: ServiceControl) -> ServiceControlHandlerResult {
    match asked {
        ServiceControl::Stop | ServiceControl::Shutdown => {
            show(ServiceState::StopPending, ServiceExitCode::NO_ERROR);
            if let Some(server) = SERVER.get() {
                server.drain();
            }
            ServiceControlHandlerResult::NoError
        }
        ServiceControl::Interrogate => ServiceControlHandlerResult::NoError,
        _ => ServiceControlHandlerResult::NotImplemented,
    }
}

fn show(state: ServiceState, exit_code: ServiceExitCode) {
    let Some(shown) = SHOWN.get() else { return };
    let (controls_accepted, wait_hint) = match state {
        ServiceState::Running => (
            ServiceControlAccept::STOP | ServiceControlAccept::SHUTDOWN,
            Duration::ZERO,
        ),
        ServiceState::Stopped => (ServiceControlAccept::empty(), Duration::ZERO),
        _ => (ServiceControlAccept::empty(), NEXT_STATE),
    };
    let status = ServiceStatus {
        service_type: ServiceType::OWN_PROCESS,
        current_state: state,
        controls_accepted,
        exit_code,
        checkpoint: 0,
        wait_hint,
        process_id: None,
    };
    // The manager may have gone away with the system.
    let _ = shown.set_service_status(status);
}
