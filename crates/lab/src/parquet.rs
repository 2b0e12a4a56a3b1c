//! How parts of datasets are written. Without the feature `parquet` none is: programs that only read and
//! compare tables do without that codec.

#[cfg(not(feature = "parquet"))]
pub(crate) use absent::{ParquetWriter, to_parquet};
#[cfg(feature = "parquet")]
pub(crate) use kibitz_tables::{ParquetWriter, to_parquet};

#[cfg(not(feature = "parquet"))]
mod absent {
    use std::convert::Infallible;
    use std::marker::PhantomData;

    use kibitz_experiment::{Field, Records};
    use kibitz_tables::TableError;

    /// There is none.
    pub(crate) struct ParquetWriter<W>(Infallible, PhantomData<W>);

    impl<W> ParquetWriter<W> {
        pub(crate) fn new<'f>(
            _: W,
            _: impl IntoIterator<Item = &'f Field>,
        ) -> Result<Self, TableError> {
            Err(without())
        }

        pub(crate) fn write(&mut self, _: Records) -> Result<(), TableError> {
            match self.0 {}
        }

        pub(crate) fn finish(self) -> Result<usize, TableError> {
            match self.0 {}
        }
    }

    pub(crate) fn to_parquet(_: Records) -> Result<Vec<u8>, TableError> {
        Err(without())
    }

    fn without() -> TableError {
        let why = "a dataset, and this program was built without its feature `parquet`";
        TableError::Unwritable(why.to_owned())
    }
}
