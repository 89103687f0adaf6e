//! Commands that a farm runs: their arguments, and these as data that travels ([`farmed!`]).
//!
//! The farm never parses a command line: a job is the arguments themselves, with numbers for files ([`InputFile`]),
//! names for written files ([`OutputFile`]) and players that start no program. An argument whose type does not
//! implement [`Carry`] does not compile, unless it is among those that are refused or dropped.

use std::convert::Infallible;
use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A file or folder that a command reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InputFile(pub(crate) PathBuf);

/// A file or folder that a command writes. On another machine only its name counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputFile(pub(crate) PathBuf);

/// Nets by their name, or a file or folder of nets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NetsArg(pub(crate) String);

/// Paths as arguments.
macro_rules! paths {
    ($($name:ident)*) => {$(
        impl From<OsString> for $name {
            fn from(text: OsString) -> $name {
                $name(text.into())
            }
        }

        impl Deref for $name {
            type Target = Path;

            fn deref(&self) -> &Path {
                &self.0
            }
        }

        impl AsRef<Path> for $name {
            fn as_ref(&self) -> &Path {
                self
            }
        }
    )*};
}
paths!(InputFile OutputFile);

impl std::str::FromStr for NetsArg {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<NetsArg, Infallible> {
        Ok(NetsArg(text.to_owned()))
    }
}

/// Declares the arguments of a command once: `NAME` as the command line has them, and `JOB` as they travel. Those in
/// `refused` are refused by a farm; those in `dropped` belong to the machine of the command.
macro_rules! farmed {
    (
        $(#[$about:meta])*
        struct $name:ident as $job:ident {
            $($(#[$of_field:meta])* $field:ident: $type:ty,)*
        }
        $(refused {
            $($(#[$of_refused:meta])* $refused:ident: $refused_type:ty,)*
        })?
        $(dropped {
            $($(#[$of_dropped:meta])* $dropped:ident: $dropped_type:ty,)*
        })?
    ) => {
        #[derive(clap::Args, Debug)]
        $(#[$about])*
        pub(crate) struct $name {
            $($(#[$of_field])* pub(crate) $field: $type,)*
            $($($(#[$of_refused])* pub(crate) $refused: $refused_type,)*)?
            $($($(#[$of_dropped])* pub(crate) $dropped: $dropped_type,)*)?
        }

        /// The arguments in a job.
        #[cfg(feature = "farm")]
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $job {
            $(pub(crate) $field: <$type as $crate::farmed::Carry>::Ported,)*
        }

        #[cfg(feature = "farm")]
        impl $crate::farmed::Carry for $name {
            type Ported = $job;

            fn carry(&self, files: &mut $crate::farmed::JobFiles) -> Result<$job, $crate::Failure> {
                $($($crate::farmed::refuse(&self.$refused, stringify!($refused))?;)*)?
                Ok($job {
                    $($field: $crate::farmed::Carry::carry(&self.$field, files)?,)*
                })
            }

            fn unpack(
                job: $job,
                places: &$crate::farmed::JobPaths<'_>,
            ) -> Result<$name, gammond_job::NotPortable> {
                Ok($name {
                    $($field: $crate::farmed::Carry::unpack(job.$field, places)?,)*
                    $($($refused: Default::default(),)*)?
                    $($($dropped: Default::default(),)*)?
                })
            }
        }
    };
}
pub(crate) use farmed;

#[cfg(feature = "farm")]
pub(crate) use carry::{Carry, JobFiles, JobPaths, carried_as_it_is, carried_as_words, refuse};

#[cfg(feature = "farm")]
mod carry {
    use super::{InputFile, NetsArg, OutputFile};
    use crate::Failure;
    use gammond_arena::player::{PlayerSpec, PortableNets, PortablePlayer};
    use gammond_farm::{Shipped, inspect};
    use gammond_job::{FileNumber, List, NotPortable, Real, Whole, Word};
    use std::cell::RefCell;
    use std::path::{Path, PathBuf};

    impl From<NotPortable> for Failure {
        fn from(error: NotPortable) -> Failure {
            Failure::usage(error)
        }
    }

    /// An argument that travels to other machines.
    pub(crate) trait Carry: Sized {
        /// Its form in a job: data without paths and programs, with limits.
        type Ported;
        /// The most of them in a list.
        const LIST_MAX: usize = usize::MAX;

        /// Converts the argument to its form in a job, and adds its files to `files`.
        ///
        /// # Errors
        /// The reason why it cannot travel.
        fn carry(&self, files: &mut JobFiles) -> Result<Self::Ported, Failure>;

        /// Returns the argument on this machine.
        ///
        /// # Errors
        /// For values that [`Carry::carry`] never makes.
        fn unpack(ported: Self::Ported, places: &JobPaths<'_>) -> Result<Self, NotPortable>;
    }

    /// The files that travel with a job.
    #[derive(Default)]
    pub(crate) struct JobFiles(pub(crate) Vec<Shipped>);

    impl JobFiles {
        /// Takes a file or folder along.
        pub(crate) fn file(&mut self, path: &Path) -> Result<FileNumber, Failure> {
            let shown = utf8(path)?;
            if shown == "-" {
                return Err(Failure::usage("a farm reads files, not standard input"));
            }
            let there = self.0.iter().position(|file| file.path == shown);
            let number = match there {
                Some(number) => number,
                None => {
                    self.0.push(inspect(path).map_err(Failure::file)?);
                    self.0.len() - 1
                }
            };
            Ok(FileNumber(number))
        }
    }

    fn utf8(path: &Path) -> Result<String, Failure> {
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| Failure::usage("an argument is not UTF-8"))
    }

    /// The places of a job's files on this machine.
    pub(crate) struct JobPaths<'a> {
        /// Files that came along.
        pub(crate) paths: &'a [PathBuf],
        /// The folder of written files; `None` for the paths of the command.
        pub(crate) scratch: Option<&'a Path>,
        /// Names of written files, as they came.
        pub(crate) written: RefCell<Vec<String>>,
    }

    impl<'a> JobPaths<'a> {
        pub(crate) const fn new(paths: &'a [PathBuf], scratch: Option<&'a Path>) -> JobPaths<'a> {
            let written = RefCell::new(Vec::new());
            JobPaths {
                paths,
                scratch,
                written,
            }
        }
    }

    /// An argument that may be given.
    pub(crate) trait Given {
        fn is_given(&self) -> bool;
    }

    impl Given for bool {
        fn is_given(&self) -> bool {
            *self
        }
    }

    impl<T> Given for Option<T> {
        fn is_given(&self) -> bool {
            self.is_some()
        }
    }

    impl<T> Given for Vec<T> {
        fn is_given(&self) -> bool {
            !self.is_empty()
        }
    }

    /// Refuses an argument that is nothing for a farm.
    pub(crate) fn refuse(given: &impl Given, field: &str) -> Result<(), Failure> {
        match given.is_given() {
            true => Err(Failure::usage(format!(
                "--{}: not on a farm, which divides the work itself",
                field.replace('_', "-")
            ))),
            false => Ok(()),
        }
    }

    impl Carry for InputFile {
        type Ported = FileNumber;

        fn carry(&self, files: &mut JobFiles) -> Result<FileNumber, Failure> {
            files.file(self)
        }

        fn unpack(number: FileNumber, places: &JobPaths<'_>) -> Result<InputFile, NotPortable> {
            Ok(InputFile(number.path(places.paths)?.to_owned()))
        }
    }

    impl Carry for OutputFile {
        type Ported = Word;

        fn carry(&self, _: &mut JobFiles) -> Result<Word, Failure> {
            Ok(utf8(self)?.try_into()?)
        }

        fn unpack(name: Word, places: &JobPaths<'_>) -> Result<OutputFile, NotPortable> {
            let name = String::from(name);
            places.written.borrow_mut().push(name.clone());
            let name = PathBuf::from(name);
            Ok(OutputFile(match places.scratch {
                None => name,
                Some(scratch) => scratch.join(name.file_name().unwrap_or("out".as_ref())),
            }))
        }
    }

    impl Carry for NetsArg {
        type Ported = PortableNets;

        fn carry(&self, files: &mut JobFiles) -> Result<PortableNets, Failure> {
            PortableNets::new(Path::new(&self.0), &mut |path| files.file(path))
        }

        fn unpack(nets: PortableNets, places: &JobPaths<'_>) -> Result<NetsArg, NotPortable> {
            let path = nets.path(places.paths)?;
            let text = path.to_str().map(str::to_owned);
            text.map(NetsArg).ok_or_else(|| {
                NotPortable("the folder of this machine's cache is not UTF-8".to_owned())
            })
        }
    }

    impl Carry for PlayerSpec {
        type Ported = PortablePlayer;
        /// Each may load nets of its own.
        const LIST_MAX: usize = 32;

        fn carry(&self, files: &mut JobFiles) -> Result<PortablePlayer, Failure> {
            PortablePlayer::new(self, &mut |path| files.file(path))
        }

        fn unpack(
            player: PortablePlayer,
            places: &JobPaths<'_>,
        ) -> Result<PlayerSpec, NotPortable> {
            player.spec(places.paths)
        }
    }

    impl<T: Carry> Carry for Option<T> {
        type Ported = Option<T::Ported>;

        fn carry(&self, files: &mut JobFiles) -> Result<Self::Ported, Failure> {
            self.as_ref().map(|one| one.carry(files)).transpose()
        }

        fn unpack(ported: Self::Ported, places: &JobPaths<'_>) -> Result<Self, NotPortable> {
            ported.map(|one| T::unpack(one, places)).transpose()
        }
    }

    impl<T: Carry> Carry for Vec<T> {
        type Ported = List<T::Ported>;

        fn carry(&self, files: &mut JobFiles) -> Result<Self::Ported, Failure> {
            let all: Result<Vec<_>, Failure> = self.iter().map(|one| one.carry(files)).collect();
            Ok(all?.try_into()?)
        }

        fn unpack(ported: Self::Ported, places: &JobPaths<'_>) -> Result<Self, NotPortable> {
            let all: Vec<T::Ported> = ported.into();
            let most = T::LIST_MAX;
            if all.len() > most {
                let text = format!("a list of {} in a job: expected at most {most}", all.len());
                return Err(NotPortable(text));
            }
            all.into_iter().map(|one| T::unpack(one, places)).collect()
        }
    }

    /// Types that are in a job as they are.
    macro_rules! carried_as_it_is {
        ($($type:ty),*) => {$(
            impl $crate::farmed::Carry for $type {
                type Ported = $type;

                fn carry(&self, _: &mut $crate::farmed::JobFiles) -> Result<$type, $crate::Failure> {
                    Ok(self.clone())
                }

                fn unpack(
                    ported: $type,
                    _: &$crate::farmed::JobPaths<'_>,
                ) -> Result<$type, gammond_job::NotPortable> {
                    Ok(ported)
                }
            }
        )*};
    }
    pub(crate) use carried_as_it_is;
    carried_as_it_is!(bool);

    impl<const MIN: u64, const MAX: u64> Carry for Whole<MIN, MAX> {
        type Ported = Self;

        fn carry(&self, _: &mut JobFiles) -> Result<Self, Failure> {
            Ok(*self)
        }

        fn unpack(ported: Self, _: &JobPaths<'_>) -> Result<Self, NotPortable> {
            Ok(ported)
        }
    }

    impl<const MIN: i32, const MAX: i32> Carry for Real<MIN, MAX> {
        type Ported = Self;

        fn carry(&self, _: &mut JobFiles) -> Result<Self, Failure> {
            Ok(*self)
        }

        fn unpack(ported: Self, _: &JobPaths<'_>) -> Result<Self, NotPortable> {
            Ok(ported)
        }
    }

    /// Types that are in a job as their text, and are read from it again.
    macro_rules! carried_as_words {
        ($($type:ty),*) => {$(
            impl $crate::farmed::Carry for $type {
                type Ported = gammond_job::Word;

                fn carry(
                    &self,
                    _: &mut $crate::farmed::JobFiles,
                ) -> Result<gammond_job::Word, $crate::Failure> {
                    Ok(self.to_string().try_into()?)
                }

                fn unpack(
                    word: gammond_job::Word,
                    _: &$crate::farmed::JobPaths<'_>,
                ) -> Result<$type, gammond_job::NotPortable> {
                    let wrong = |_| gammond_job::NotPortable(
                        concat!("a ", stringify!($type), " of the job is invalid").to_owned(),
                    );
                    String::from(word).parse().map_err(wrong)
                }
            }
        )*};
    }
    pub(crate) use carried_as_words;
    carried_as_words!(String);
}
