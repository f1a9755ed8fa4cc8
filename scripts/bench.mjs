/**
 * Runs the measurements in bench/, each beside what it is compared to in the same run:
 * `node scripts/bench.mjs [name …] [--option=value …]`; without names all of them.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const all = readdirSync(`${root}bench`).filter((name) =>
  existsSync(`${root}bench/${name}/${name}.ts`),
)
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const options = process.argv.slice(2).filter((word) => word.startsWith('--'))
const unknown = wanted.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`There is no bench "${unknown.join('", "')}". There are: ${all.join(', ')}.`)
  process.exit(2)
}

for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`\n── bench/${name}`)
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: {
      ssr: `bench/${name}/${name}.ts`,
      outDir: `dist/bench/${name}`,
      target: 'node20',
      copyPublicDir: false,
    },
  })
  const program = ['--expose-gc', `dist/bench/${name}/${name}.js`, ...options]
  const { status } = spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
