// Prints what Redocly's and Spectral's linters find in docs/openapi.json, one problem a line. Runs in a process of its
// own, because jest cannot load these packages without transforming them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createConfig, lint } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

const file = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));

/** The rules of Redocly that are switched off, each with its reason. */
const redoclyRules = {
  // The links of pages and pictures answer with a redirect alone.
  'operation-2xx-response': 'off',
};

/** The rules of Spectral that are switched off, each with its reason. */
const spectralRules = {
  // The areas stand in the order in which a client calls them.
  'openapi-tags-alphabetical': 'off',
  // OpenAPI 3.1 lets every security scheme list roles, here the scope of a key. This rule knows only those of OAuth 2.
  // Redocly's `security-defined` checks that the schemes exist.
  'oas3-operation-security-defined': 'off',
  // Each operator has another address, and the document is the same for all of them.
  'contact-properties': 'off',
};

async function ofRedocly() {
  const config = await createConfig({ extends: ['recommended-strict'], rules: redoclyRules });
  const problems = await lint({ ref: file, config });
  return problems.map(({ ruleId, message, location: [at] }) => `redocly ${ruleId} ${at?.pointer ?? ''}: ${message}`);
}

async function ofSpectral() {
  const { Spectral } = spectralCore;
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[spectralRulesets.oas, 'all']], rules: spectralRules });
  const text = readFileSync(file, 'utf8');
  const problems = await spectral.run(text);
  return problems.map(({ code, path, message }) => `spectral ${code} #/${path.join('/')}: ${message}`);
}

for (const problem of [...(await ofRedocly()), ...(await ofSpectral())]) console.log(problem);
