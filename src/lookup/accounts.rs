//! Accounts that are entered in the page: each is tried before it is kept.

use std::sync::Arc;

use super::{Lookup, LookupError, gamedb::Gamedb, scraper::Scraper};
use crate::{
    artgrid::{Artgrid, ArtgridError},
    files::DiskError,
    providers::{
        ARTGRID, GAMEDB, SCRAPER,
        accounts::{self, Account, AccountFault, Accounts, Origin},
        cache::Cache,
    },
};

/// Why an account was not kept or removed. The present one is as it was.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    #[error("This source has no account that can be entered here.")]
    Unknown,
    #[error("The account of {0} is set in the environment and can be changed only there.")]
    Fixed(&'static str),
    #[error(transparent)]
    Fault(#[from] AccountFault),
    #[error("{0} rejected this account. Nothing was saved.")]
    Rejected(&'static str),
    /// It could not be tried, for this reason.
    #[error("{0} Nothing was saved.")]
    Untried(String),
    #[error("The account could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

impl From<LookupError> for AccountError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Rejected { provider, .. } => Self::Rejected(provider),
            error => Self::Untried(error.to_string()),
        }
    }
}

impl From<ArtgridError> for AccountError {
    fn from(error: ArtgridError) -> Self {
        match error {
            ArtgridError::KeyRejected => Self::Rejected(ARTGRID.name),
            error => Self::Untried(error.to_string()),
        }
    }
}

impl Lookup {
    /// Tries an account and keeps it in place of the stored one; `text` gives the parts that were entered.
    ///
    /// # Errors
    /// [`AccountError`].
    pub fn enter_account(
        &self,
        source: &str,
        text: impl Fn(&str) -> String,
    ) -> Result<(), AccountError> {
        let account = self.account_to_change(source)?;
        let values = account.read(text)?;
        self.try_account(account, self.accounts.with(&values))?;
        log::info!("the account of {} was accepted and stored", account.provider.id);
        Ok(self.accounts.store(account, values)?)
    }

    /// Removes the stored account of a source.
    ///
    /// # Errors
    /// [`AccountError`].
    pub fn remove_account(&self, source: &str) -> Result<(), AccountError> {
        Ok(self.accounts.remove(self.account_to_change(source)?)?)
    }

    fn account_to_change(&self, source: &str) -> Result<&'static Account, AccountError> {
        let account = accounts::of_provider(source).ok_or(AccountError::Unknown)?;
        match self.accounts.origin(account) {
            Some(Origin::Environment) => Err(AccountError::Fixed(account.provider.name)),
            _ => Ok(account),
        }
    }

    fn try_account(&self, account: &Account, trial: Arc<Accounts>) -> Result<(), AccountError> {
        let cache = |folder| Cache::new(self.files.clone(), folder);
        let (providers, data_dir) = (Arc::clone(&self.providers), &self.data_dir);
        match account.provider.id {
            id if id == SCRAPER.id => {
                Scraper::new(trial, providers, cache(data_dir.scraper_cache())).test()?;
            }
            id if id == GAMEDB.id => {
                Gamedb::new(trial, providers, cache(data_dir.gamedb_cache())).test()?;
            }
            _ => {
                Artgrid::new(trial, providers, cache(data_dir.artgrid_cache())).test(true)?;
            }
        }
        Ok(())
    }
}
