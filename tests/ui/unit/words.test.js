import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LOCALES } from '../../../static/core/i18n.js';
import { strings } from '../support/sources.js';

/**
 * How each language speaks to the person, and words of the other way. German: du; Spanish: tú; French: vous;
 * Portuguese: tu, as it is written in Portugal.
 */
const OTHER = Object.freeze(
  /** @type {Record<string, RegExp[]>} */ ({
    de: [
      // At the beginning of a sentence `Sie` may stand for things.
      /(?<=[\p{L}\d}”“%,)]\s)(?:Sie|Ihnen|Ihr|Ihre[mnrs]?)(?!\p{L})/u,
      /(?<!\p{L})\p{Lu}\p{L}*en Sie(?!\p{L})/u,
    ],
    es: [
      /(?<!\p{L})(?:usted|ustedes|vosotros|vuestr[oa]s?|vos)(?!\p{L})/iu,
      /(?<!\p{L})(?:Abra|Active|Añada|Arrastre|Compruebe|Conecte|Copie|Cree|Elija|Escriba|Espere|Guarde|Haga|Indique|Inicie|Instale|Inténtelo|Introduzca|Permita|Ponga|Pruebe|Pulse|Quite|Seleccione|Suelte|Vea|Vuelva)(?!\p{L})/u,
      /(?<!\p{L})(?:Agrega|Archivo de video|computadora|mouse|ustedes)(?!\p{L})/u,
    ],
    fr: [
      /(?<!\p{L})(?:tu|toi|ton|tes|te|t’as|t’es)(?!\p{L})/iu,
      /(?<!\p{L})(?:Appuie|Attends|Choisis|Clique|Essaie|Fais|Glisse|Installe|Mets|Ouvre|Prends|Regarde|Réessaie|Va|Vérifie)(?!\p{L})/u,
      /(?<!\p{L})(?:peux|veux|dois|pourras|verras)(?!\p{L})/u,
    ],
    pt: [
      /(?<!\p{L})(?:você|vocês|lhe peço)(?!\p{L})/iu,
      /(?<!\p{L})(?:Abra|Adicione|Aguarde|Arraste|Clique|Coloque|Comece|Confirme|Copie|Crie|Defina|Deixe|Digite|Edite|Escolha|Escreva|Espere|Experimente|Faça|Guarde|Indique|Informe|Inicie|Insira|Instale|Ligue|Limpe|Marque|Mude|Permita|Ponha|Preencha|Pressione|Prima|Procure|Reinicie|Remova|Selecione|Tente|Toque|Veja|Verifique|Volte)(?!\p{L})/u,
      // What is written otherwise in Brazil.
      /(?<!\p{L})(?:aplicativo|baix(?:ad[oa]|ar|e)|celular|compartilh\p{L}+|configurações|deletar|excluíd[oa]s?|excluir|gerenciar|mouse|planilha|senha|sumiu|telas?|usuários?)(?!\p{L})/iu,
      /(?<!\p{L})est(?:á|ão|ou|ava) (?:sendo|\p{L}+(?:ando|endo|indo))(?!\p{L})/iu,
      /^(?:Procurando|Verificando|Carregando|Instalando|Atualizando|Criando|Lendo)(?!\p{L})/u,
    ],
  }),
);

/** Words that show that the lists above look at the right thing: each language speaks to the person somewhere. */
const OWN = Object.freeze(
  /** @type {Record<string, RegExp>} */ ({ de: /\b(?:du|dir|deine?[mnrs]?)\b/, es: /\b(?:tú|tus?)\b/,
    fr: /\bvos?\b|vous/, pt: /\b(?:tu|teus?|tuas?)\b/ }),
);

test('each language speaks to the person in one way', () => {
  assert.deepEqual(Object.keys(OTHER).toSorted(), LOCALES.filter((locale) => locale !== 'en').toSorted());
  for (const [locale, lists] of Object.entries(OTHER)) {
    const texts = Object.entries(strings(locale));
    const found = texts.flatMap(([key, text]) =>
      lists.flatMap((list) => list.exec(text)?.map((word) => `${locale} ${key}: ${word}`) ?? [])
    );
    assert.deepEqual(found, []);
    assert.ok(texts.filter(([, text]) => OWN[locale]?.test(text)).length > 20, locale);
  }
});

test('the lists of words find the other way of speaking', () => {
  for (const [locale, text] of /** @type {const} */ ([
    ['de', 'was Sie selbst gewählt haben'],
    ['de', 'Wählen Sie eines.'],
    ['de', 'Von Ihnen gewählt'],
    ['es', 'Elija una carpeta.'],
    ['fr', 'Choisis un dossier.'],
    ['fr', 'ce que tu as choisi'],
    ['pt', 'Escolha uma pasta.'],
    ['pt', 'O que você mais gostou'],
    ['pt', 'O filme está sendo criado.'],
    ['pt', 'Nome de usuário'],
  ])) assert.ok(OTHER[locale]?.some((list) => list.test(text)), `${locale}: ${text}`);
});

/** The longest text of a kind of control, in characters, by the end or beginning of its key. */
const ROOM = Object.freeze(
  /** @type {[RegExp, number][]} */ ([
    [/^place\./, 26],
    [/^(?:view|progress)\./, 28],
    [/\.tab\./, 24],
    [/^(?:sort|group|column)\./, 27],
    [/^key\./, 9],
    [/^mark\./, 20],
    [/^sayit\.chip\./, 34],
    [/^job\.state\./, 22],
    [/^action\./, 34],
  ]),
);

test('no text is longer than the place it has', () => {
  for (const locale of LOCALES) {
    const long = Object.entries(strings(locale)).flatMap(([key, text]) => {
      const room = ROOM.find(([keys]) => keys.test(key))?.[1];
      return room !== undefined && [...text].length > room ? [`${locale} ${key}: ${[...text].length} of ${room}`] : [];
    });
    assert.deepEqual(long, []);
  }
});
