/**
 * Installs the packages of scripts/packages.mjs in an empty folder without a network, type-checks and runs the example of each
 * README there, and bundles it for a browser, in which it prints the same.
 */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { build, preview } from 'vite'
import { findChromium } from './chromium.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'sightline-packages-'))
const run = (program, words) =>
  execFileSync(program, words, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })

try {
  execFileSync(process.execPath, [join(root, 'scripts/packages.mjs')], { stdio: 'inherit' })
  const made = join(root, 'dist/packages')
  const tarballs = readdirSync(made)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(made, name))
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs])
  for (const name of ['sightline-attestation', 'sightline-search']) {
    const installed = join(folder, 'node_modules', name)
    for (const file of ['LICENSE', 'README.md', 'index.js', 'index.d.ts'])
      statSync(join(installed, file))
    const readme = readFileSync(join(installed, 'README.md'), 'utf8')
    const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
    writeFileSync(join(folder, `${name}.ts`), example)
    const tsconfig = {
      compilerOptions: {
        strict: true,
        target: 'es2023',
        lib: ['es2023', 'dom'],
        module: 'nodenext',
        types: [],
        rootDir: '.',
        outDir: 'js',
      },
      files: [`${name}.ts`],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'])
    const printed = run(process.execPath, [join('js', `${name}.js`)])
    if (!/(?:mismatch|unknown-key|yes\nno)/.test(printed))
      throw new Error(`the example of ${name} printed: ${printed}`)
    mkdirSync(join(folder, 'page'), { recursive: true })
    writeFileSync(
      join(folder, 'index.html'),
      `<script type="module" src="/js/${name}.js"></script>`,
    )
    const outDir = join(folder, 'page', name)
    await build({
      configFile: false,
      root: folder,
      logLevel: 'error',
      build: { outDir, target: 'esnext' },
    })
    const shown = await printedInBrowser(outDir, printed.trimEnd().split('\n').length)
    if (shown !== printed.trimEnd()) throw new Error(`in a browser ${name} printed: ${shown}`)
    console.log(`${name}: installed, type-checked, run, and run in a browser`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The first lines that a built page prints; fails where it does not within a minute. */
async function printedInBrowser(outDir, count) {
  const served = await preview({
    configFile: false,
    root: folder,
    logLevel: 'error',
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0 },
  })
  const browser = await chromium.launch({ executablePath: await findChromium() })
  try {
    const page = await browser.newPage()
    const lines = []
    const printed = page.waitForEvent('console', {
      predicate: (message) => lines.push(message.text()) === count,
      timeout: 60_000,
    })
    const [address] = served.resolvedUrls.local
    await Promise.all([printed, page.goto(address)])
    return lines.join('\n')
  } finally {
    await browser.close()
    await served.close()
  }
}
