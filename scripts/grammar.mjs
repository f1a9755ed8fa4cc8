/**
 * Writes the parser of the search language from its grammar: `node scripts/grammar.mjs`. With `--check`
 * it writes nothing, and fails where what it would write is not what is there.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildParserFile } from '@lezer/generator'
import { format } from 'oxfmt'

const folder = fileURLToPath(new URL('../src/search/grammar/', import.meta.url))
const style = JSON.parse(readFileSync(new URL('../.oxfmtrc.json', import.meta.url), 'utf8'))

const { parser, terms } = buildParserFile(readFileSync(`${folder}query.grammar`, 'utf8'), {
  fileName: 'query.grammar',
  typeScript: true,
  warn: (message) => {
    throw new Error(message)
  },
})

await put(
  'parser.ts',
  parser
    .replace(/^\/\/.*\n/, '')
    .replace(/from "(\.\/[^"]+)"/g, 'from "$1.ts"')
    // A buffer of the tree is reused as a whole or not at all: at the default of 1,024 characters a
    // keystroke reads 2,000 of them again.
    .replace(/\}\)\s*$/, '}).configure({ bufferLength: 256 })'),
)
await put('parser.terms.ts', `export const ${usedTerms(terms).join(', ')}`)

/** Those that the tokenizers return; rules are known by their names. */
function usedTerms(declarations) {
  const tokenizers = readFileSync(`${folder}tokens.ts`, 'utf8')
  return [...declarations.matchAll(/(\w+) = \d+/g)]
    .filter(([, name]) => new RegExp(`\\b${name}\\b`).test(tokenizers))
    .map(([declaration]) => declaration)
}

/** The file as the house writes it. */
async function put(name, text) {
  const written = `// Written by scripts/grammar.mjs from query.grammar.\n${text}`
  const { code: formatted } = await format(name, written, style)
  if (!process.argv.includes('--check')) {
    writeFileSync(folder + name, formatted)
  } else if (readFileSync(folder + name, 'utf8') !== formatted) {
    console.error(`${name} is not what query.grammar gives. Run: node scripts/grammar.mjs`)
    process.exitCode = 1
  }
}
