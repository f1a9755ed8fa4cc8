/**
 * Writes what docs/reference says from the source: `node scripts/docs.mjs`. With `--check` it writes
 * nothing, and fails where what it would write is not what is there.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'
import importTable from '../.dependency-cruiser.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { module } = await runnerImport(join(root, 'src/reference/reference.ts'), {
  configFile: false,
  root,
  logLevel: 'error',
})

for (const [path, text] of await module.referenceFiles(root, importTable)) {
  const file = join(root, path)
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is not what the source gives. Run: npm run docs`)
    process.exitCode = 1
  }
}
