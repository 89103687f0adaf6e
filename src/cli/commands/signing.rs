//! Signatures of files by their contributors: SSH signatures that stand beside the files, as `ssh-keygen -Y sign` makes
//! them and `ssh-keygen -Y verify` reads them (namespace `gammond`).

use crate::Failure;
use gammond_base::files::{self, RECORDS_BYTES_MAX, TEXT_BYTES_MAX};
use gammond_base::journal::write_whole;
use ssh_key::{Algorithm, HashAlg, LineEnding, PrivateKey, PublicKey, SshSig};
use std::path::{Path, PathBuf};

/// Purpose of the signatures; one made for another is refused.
const NAMESPACE: &str = "gammond";
/// Beginning of the names of key types, which follow the names of their owners.
const KEY_TYPES: &str = "ssh-";

/// Returns the place of a file's signature.
fn signature_of(file: &Path) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(".sig");
    PathBuf::from(path)
}

/// A contributor's own key.
#[derive(Debug)]
pub(super) struct Signer(PrivateKey);

impl Signer {
    /// Reads an OpenSSH private key of type Ed25519 without a passphrase.
    pub(super) fn open(path: &Path) -> Result<Signer, Failure> {
        let wrong = Failure::in_file(path);
        let text = files::read_text(path, TEXT_BYTES_MAX).map_err(Failure::in_file(path))?;
        let key = PrivateKey::from_openssh(text.as_bytes()).map_err(Failure::in_file(path))?;
        if key.is_encrypted() {
            return Err(wrong(
                "has a passphrase; expected a key without one".to_owned(),
            ));
        }
        if key.algorithm() != Algorithm::Ed25519 {
            let found = key.algorithm();
            return Err(wrong(format!(
                "a key of type {found}, expected ssh-ed25519"
            )));
        }
        Ok(Signer(key))
    }

    /// Signs a file; the signature is written beside it.
    pub(super) fn sign(&self, file: &Path) -> Result<(), Failure> {
        let bytes = files::read(file, RECORDS_BYTES_MAX).map_err(Failure::in_file(file))?;
        let signature = self.0.sign(NAMESPACE, HashAlg::Sha512, &bytes);
        let text = signature.and_then(|signature| signature.to_pem(LineEnding::LF));
        let text = text.map_err(Failure::in_file(file))?;
        let path = signature_of(file);
        write_whole(&path, text.as_bytes()).map_err(Failure::unwritten(&path))
    }

    /// Signs a file unless a signature of its contents, by any key, is beside it.
    pub(super) fn sign_if_unsigned(&self, file: &Path) -> Result<(), Failure> {
        let text = files::read_text(&signature_of(file), TEXT_BYTES_MAX).ok();
        let signature = text.and_then(|text| SshSig::from_pem(text.as_bytes()).ok());
        let bytes = files::read(file, RECORDS_BYTES_MAX).map_err(Failure::in_file(file))?;
        let fits = signature.is_some_and(|signature| {
            let key = PublicKey::from(signature.public_key().clone());
            key.verify(NAMESPACE, &bytes, &signature).is_ok()
        });
        match fits {
            true => Ok(()),
            false => self.sign(file),
        }
    }
}

/// The trusted contributors, with their keys.
#[derive(Debug)]
pub(super) struct Signers(Vec<(String, PublicKey)>);

impl Signers {
    /// Reads a file as `ssh-keygen` calls `allowed_signers`: a name, options that are ignored, and a key on a line.
    pub(super) fn open(path: &Path) -> Result<Signers, Failure> {
        let text = files::read_text(path, TEXT_BYTES_MAX).map_err(Failure::in_file(path))?;
        let mut signers = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |reason: String| {
                Failure::in_file(path)(format!(
                    "line {number}: {reason}, expected a name and a key (example: ada ssh-ed25519 AAAA...)"
                ))
            };
            let (name, rest) = (line.split_once(char::is_whitespace))
                .ok_or_else(|| wrong("a single word".to_owned()))?;
            let key = rest.find(KEY_TYPES).and_then(|at| rest.get(at..));
            let key = key.ok_or_else(|| wrong("no key".to_owned()))?;
            let key = PublicKey::from_openssh(key).map_err(|error| wrong(error.to_string()))?;
            signers.push((name.to_owned(), key));
        }
        Ok(Signers(signers))
    }

    /// Returns the name of the contributor who signed a file.
    pub(super) fn signer_of(&self, file: &Path) -> Result<&str, Failure> {
        let path = signature_of(file);
        let text = files::read_text(&path, TEXT_BYTES_MAX).map_err(Failure::in_file(&path))?;
        let signature = SshSig::from_pem(text.as_bytes()).map_err(Failure::in_file(&path))?;
        let bytes = files::read(file, RECORDS_BYTES_MAX).map_err(Failure::in_file(file))?;
        let signed = |key: &PublicKey| key.verify(NAMESPACE, &bytes, &signature).is_ok();
        let signer = self.0.iter().find(|(_, key)| signed(key));
        let signer = signer.map(|(name, _)| name.as_str());
        signer.ok_or_else(|| {
            Failure::in_file(file)(
                "no contributor of --signers has signed these contents".to_owned(),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ssh_key::private::Ed25519Keypair;

    /// A signature holds for its contents, its key and its purpose only.
    #[test]
    fn signatures_name_the_contributor() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut signers = String::from("# who helps\n");
        for (seed, name) in [(1, "ada"), (2, "bob")] {
            let key = PrivateKey::from(Ed25519Keypair::from_seed(&[seed; 32]));
            std::fs::write(at(name), key.to_openssh(LineEnding::LF).unwrap()).unwrap();
            let public = key.public_key().to_openssh().unwrap();
            signers.push_str(&format!("{name} namespaces=\"gammond\" {public}\n"));
        }
        std::fs::write(at("signers"), signers).unwrap();
        let signers = Signers::open(&at("signers")).unwrap();
        let file = at("x.journal");
        std::fs::write(&file, "contents").unwrap();
        assert!(signers.signer_of(&file).is_err(), "no signature");
        for name in ["ada", "bob"] {
            Signer::open(&at(name)).unwrap().sign(&file).unwrap();
            assert_eq!(signers.signer_of(&file).unwrap(), name);
        }
        std::fs::write(&file, "Contents").unwrap();
        assert!(signers.signer_of(&file).is_err(), "other contents");
        let eve = Signer(PrivateKey::from(Ed25519Keypair::from_seed(&[3; 32])));
        eve.sign(&file).unwrap();
        assert!(signers.signer_of(&file).is_err(), "an unknown key");
        let other = eve.0.sign("mail", HashAlg::Sha512, b"Contents").unwrap();
        std::fs::write(signature_of(&file), other.to_pem(LineEnding::LF).unwrap()).unwrap();
        assert!(signers.signer_of(&file).is_err(), "another purpose");
        for broken in ["ada", "ada ssh-ed25519 AAAA", "ada rsa"] {
            std::fs::write(at("signers"), broken).unwrap();
            assert!(Signers::open(&at("signers")).is_err(), "{broken}");
        }
        assert!(Signer::open(&at("signers")).is_err());
    }
}
