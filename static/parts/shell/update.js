/** Looking for new games in the watched folders, when somebody asks for it. */

let isBusy = false;

/**
 * Tells at once that it looks, then what came of it. Folders that could not be read are told one by one.
 *
 * @param {App.Context} ctx
 */
export async function updateLibrary({ t, tn, client, catalog, kiosk, toasts, preferences, router, fail }) {
  if (isBusy || kiosk.isLocked) return;
  if (!preferences.watchesFolders) {
    toasts.show({ text: t('update.none'), actions: [{ label: t('update.choose'), run: () =>
      router.go('/settings/library') }] });
    return;
  }
  isBusy = true;
  toasts.show({ text: t('update.busy') });
  try {
    const { added, errors } = await client.post('/api/import/watch');
    for (const text of errors) toasts.show({ kind: 'error', text });
    if (added > 0 || errors.length === 0)
      toasts.show({ kind: added > 0 ? 'good' : 'plain',
        text: added > 0 ? tn('update.added', added) : t('update.nothing') });
    if (added > 0) catalog.extend();
  } catch (error) {
    fail(error);
  } finally {
    isBusy = false;
  }
}
