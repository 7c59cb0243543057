/** The commands of plugins as entries of the palette. */

import { icon } from '../../core/dom.js';

/** What a plugin says of its work, as the page tells it. */
const KINDS = Object.freeze(
  /** @type {Record<string, 'plain' | 'good' | 'error'>} */ ({ success: 'good', warning: 'error', error: 'error' }),
);

/**
 * @param {App.Context} ctx
 * @returns {Promise<App.Entry[]>}
 */
export async function pluginCommands(ctx) {
  const { commands } = await ctx.client.get('/api/v2/plugins/commands');
  return commands.map((command) => ({ group: 'actions', label: command.label, note: command.source,
    glyph: icon('puzzle'), run: () => void runCommand(ctx, command) })
  );
}

/**
 * @param {App.Context} ctx
 * @param {Reply.PluginCommand} command
 */
async function runCommand({ client, toasts, t, fail }, command) {
  try {
    const { notification } = await client.post('/api/v2/plugins/command', { plugin_id: command.plugin_id,
      command: command.id });
    toasts.show(notification
      ? { kind: KINDS[notification.level] ?? 'plain', text: notification.message }
      : { kind: 'good', text: t('plugins.ran', { name: command.label }) });
  } catch (error) {
    fail(error);
  }
}
