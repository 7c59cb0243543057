/**
 * The settings of a plugin: a form made from the schema that the plugin declares.
 */

import { setBusy } from '../act.js';
import { openDialog, prepareDialog, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { ApiError } from '../../core/client.js';
import { h } from '../../core/dom.js';

/**
 * @param {App.Context} ctx
 * @param {Api.Plugin} plugin
 */
export async function openPluginSettings(ctx, { id, name }) {
  const { t, client } = ctx;
  const answer = await prepareDialog(ctx, `plugin ${id}`, () => client.get('/api/v2/plugins/settings', { id }));
  if (!answer) return;
  const { properties = {}, required = [] } = /** @type {Api.PluginSchema} */ (answer.schema ?? {});
  const fields = Object.entries(properties).map(([key, option]) =>
    makeField(specOf(key, option, answer.values[key] ?? option.default, required.includes(key)))
  );
  fields.forEach(({ control }, at) => {
    if (Object.values(properties)[at]?.format === 'password') control.setAttribute('type', 'password');
  });
  const yes = h('button', { class: 'button primary', type: 'submit' }, t('action.save'));
  const no = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const dialog = openDialog(ctx, { title: t('plugins.settings.title', { name }), width: 560,
    content: h('div', { class: 'stack' }, fields.map(({ element }) => element)), footer: [no, yes],
    onSubmit: () => void save() });
  const save = async () => {
    setBusy(yes, true);
    for (const field of fields) field.fail('');
    showFormFailure(ctx, dialog.form, null);
    const values = Object.fromEntries(
      fields.map((field) => [field.spec.key, valueOf(field, properties[field.spec.key])]).filter(([, value]) =>
        value !== ''
      ),
    );
    try {
      await client.post('/api/v2/plugins/settings', { id, values });
      dialog.close('done');
      ctx.toasts.show({ kind: 'good', text: t('plugins.settings.saved', { name }) });
    } catch (error) {
      const known = ApiError.from(error);
      // The sentence of the server names the setting it refuses.
      const refused = fields.find(({ spec }) => known.message.includes(`'${spec.key}'`));
      if (refused && known.status === 400) refused.fail(known.message);
      else showFormFailure(ctx, dialog.form, known);
    } finally {
      setBusy(yes, false);
    }
  };
  no.addEventListener('click', () => dialog.close(''));
  await dialog.closed;
}

/**
 * @param {string} key
 * @param {Api.PluginOption} option
 * @param {unknown} value
 * @param {boolean} required
 * @returns {App.FieldSpec}
 */
function specOf(key, option, value, required) {
  const label = option.title || key.replaceAll('_', ' ');
  const common = { key, label, required, ...(option.description ? { hint: option.description } : {}) };
  if (option.type === 'boolean') return { ...common, kind: 'bool', value: value === true };
  const text = value === undefined ? '' : String(value);
  if (option.enum)
    return { ...common, kind: 'select', value: text,
      options: option.enum.map((choice) => ({ value: String(choice), label: String(choice) })) };
  if (option.type === 'number' || option.type === 'integer')
    return { ...common, kind: 'number', value: text, ...(option.minimum === undefined ? {} : { min: option.minimum }),
      ...(option.maximum === undefined ? {} : { max: option.maximum }), step: option.type === 'integer' ? 1 : 0.1 };
  return { ...common, kind: 'text', value: text };
}

/**
 * @param {App.Field} field
 * @param {Api.PluginOption | undefined} option
 */
function valueOf(field, option) {
  const value = field.read();
  // A list of choices holds texts; a number among them is one again.
  return option?.enum?.find((choice) => String(choice) === value) ?? value;
}
