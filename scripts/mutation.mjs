/**
 * Changes search, attestation and facts as Stryker does, and tells which changes no test notices
 * (docs/proof.md): `node scripts/mutation.mjs [--sample=<n>] [--seed=<n>] [Stryker's arguments]`. The whole
 * takes most of a day; `--sample` takes so many stretches of each folder, drawn by chance, each line as likely
 * as any other: with the same seed and the same source always the same ones.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['search', 'attestation', 'facts']
/** Lines of a stretch. Of a change to more lines than these, none is drawn. */
const length = 16

const { values, tokens } = parseArgs({
  options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' } },
  strict: false,
  tokens: true,
})
const own = new Set(
  tokens.filter(({ name }) => name === 'sample' || name === 'seed').map(({ index }) => index),
)
const passedOn = process.argv.slice(2).filter((_, index) => !own.has(index))
if (values.sample !== undefined) {
  const random = randomNumbers(Number(values.seed))
  const stretches = folders.flatMap((folder) => drawn(folder, Number(values.sample), random))
  passedOn.push('--mutate', stretches.join(','))
}
const { status } = spawnSync('stryker', ['run', ...passedOn], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` },
})
process.exit(status ?? 1)

/** `count` stretches of a folder's files, as Stryker names them: `src/search/parse.ts:17-32`. */
function drawn(folder, count, random) {
  const files = readdirSync(join(root, 'src', folder), { recursive: true })
    .filter((name) => /\.ts$/.test(name) && !/\.test(?:-support)?\.ts$|parser[^/]*\.ts$/.test(name))
    .sort()
    .map((name) => {
      const path = join('src', folder, name)
      return { path, lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 }
    })
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  return Array.from({ length: count }, () => {
    let line = Math.floor(random() * lines)
    const file = files.find((each) => {
      if (line < each.lines) return true
      line -= each.lines
      return false
    })
    const first = Math.max(1, Math.min(line + 1 - length / 2, file.lines - length + 1))
    return `${file.path}:${first}-${Math.min(first + length - 1, file.lines)}`
  })
}

/** Numbers from 0 to 1 (mulberry32), always the same for a seed. */
function randomNumbers(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
