/**
 * Runs the unit tests once more on Node 24, from the `node` package in a temporary folder, unless
 * this is Node 24 already or newer. Where the package cannot be had it says so and fails.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= 24) {
  console.log(`This is Node ${process.versions.node} already.`)
  process.exit(0)
}

const folder = mkdtempSync(join(tmpdir(), 'node-24-'))
try {
  // The package links its binary in an install script, which is allowed here and nowhere else.
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, allowScripts: { node: true } }),
  )
  const install = spawnSync('npm', ['install', '--ignore-scripts=false', 'node@24'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const node = join(folder, 'node_modules', 'node', 'bin', 'node')
  if (install.status !== 0 || !existsSync(node)) {
    console.error('Node 24 could not be installed from the `node` package.')
    process.exit(1)
  }
  const { status } = spawnSync(node, [join('node_modules', 'vitest', 'vitest.mjs'), 'run'], {
    cwd: root,
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
