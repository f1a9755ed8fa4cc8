import { readdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { type Plugin, type Rolldown, runnerImport, type UserConfig } from 'vite'
import { defineConfig } from 'vitest/config'
import { filesOfPages, pageChunks } from './scripts/page-chunks.ts'

/** Everything that the proxy answers; the rest is the page and its assets. */
const proxied =
  '^/(?:session|live|upstream|config|healthz|readyz|metrics|history|screens)(?:[/?]|$)'

const proxy = 'http://127.0.0.1:8081'

/** The pure foundations (src/README.md), of which the unit tests must reach nearly all. */
const foundations = ['protocol', 'search', 'attestation', 'facts', 'policy']
const reached = { lines: 92, branches: 92 }

/** In a process of Stryker (`npm run mutation`). */
const isMutated = 'STRYKER_MUTATOR_WORKER' in process.env

/** Leaves out what would fetch a trusted root of Sigstore: the one of the configuration counts. */
function withoutTrustUpdates(): Plugin {
  return {
    name: 'without-trust-updates',
    load: (id) =>
      id.endsWith('/sigstore-browser/dist/trust/tuf.js')
        ? 'export class TrustedRootProvider {}'
        : undefined,
  }
}

/**
 * The package leads every bundler to the router's build for development, 1 kB of warnings more, and
 * says of none of its components that making it does nothing else: what isn’t used stays in, 1 kB.
 */
function routerForProduction(): Plugin {
  const folder = join(import.meta.dirname, 'node_modules/react-router/dist/production')
  return {
    name: 'router-for-production',
    apply: 'build',
    config: () => ({
      resolve: { alias: [{ find: /^react-router$/, replacement: join(folder, 'index.mjs') }] },
    }),
    transform: (code, id) =>
      id.startsWith(folder)
        ? code
            .replaceAll(/^\w+\.displayName = "\w+";$/gm, '')
            .replaceAll(
              /= (?=React\d*\.(?:forwardRef|createContext|memo)\()/g,
              '= /* @__PURE__ */ ',
            )
        : undefined,
  }
}

/** The first paint waits for no style but those in the page itself: src/web/app/main.tsx applies these. */
function stylesApart(): Plugin {
  return {
    name: 'styles-apart',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const link = '<link rel="stylesheet" '
        if (!html.includes(link)) throw new Error('The page names no styles.')
        return html.replace(link, `${link}media="print" fetchpriority="high" `)
      },
    },
  }
}

const fileNames: Rolldown.OutputOptions = {
  // The entry lists them all: with the shortest name that serves.
  chunkFileNames: 'assets/[hash:7].js',
  assetFileNames: ({ names }) =>
    names[0]?.endsWith('.css') === true
      ? 'assets/[hash:6][extname]'
      : 'assets/[name]-[hash:6][extname]',
}

/** The dashboard, built into dist/client, from where the proxy serves it under a strict CSP. */
const client: UserConfig = {
  plugins: [react(), routerForProduction(), stylesApart(), filesOfPages(), compressedCopies()],
  // The proxy writes a fresh nonce in its place with each page it serves.
  html: { cspNonce: '__CSP_NONCE__' },
  // What checks keyless bundles is loaded by the worker once there is one.
  worker: { format: 'es', plugins: () => [withoutTrustUpdates()] },
  build: {
    outDir: 'dist/client',
    manifest: true,
    sourcemap: false,
    // What React says of a development build names components (e2e/sightline.ts).
    minify: process.env.NODE_ENV !== 'development',
    // The CSP allows no data: addresses.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: { ...fileNames, codeSplitting: { groups: pageChunks } },
    },
  },
  server: {
    watch: { ignored: ['**/.sightline/**'] },
    // To the proxy it looks as if the page were its own: it answers no other site's pages.
    proxy: { [proxied]: { target: proxy, changeOrigin: true, headers: { origin: proxy } } },
  },
}

/** Leaves beside each text that is built, where that is smaller, a copy as Brotli and one as gzip. */
function compressedCopies(): Plugin {
  let folder = ''
  return {
    name: 'compressed-copies',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir)
    },
    async writeBundle() {
      const names = await readdir(folder, { recursive: true })
      const texts = names.filter((name) => /\.(?:css|js|svg)$/.test(name))
      await Promise.all(
        texts.map(async (name) => {
          const path = join(folder, name)
          const text = await readFile(path)
          // The highest quality takes ten times as long for a few percent.
          const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
          const copies = await Promise.all([
            promisify(brotliCompress)(text, { params }).then((copy) => ['.br', copy] as const),
            promisify(gzip)(text).then((copy) => ['.gz', copy] as const),
          ])
          for (const [ending, copy] of copies) {
            if (copy.length < text.length) await writeFile(path + ending, copy)
          }
        }),
      )
    },
  }
}

/** A program as one file for Node, built into dist/<name>. */
function program(name: string): UserConfig {
  return {
    build: {
      ssr: `src/${name}/main.ts`,
      outDir: `dist/${name}`,
      target: 'node20',
      copyPublicDir: false,
    },
  }
}

/** The dashboard of the static demo: the same, for whatever folder it lies in (docs/demo.md). */
const demo: UserConfig = {
  ...client,
  plugins: [react(), routerForProduction(), stylesApart()],
  worker: { format: 'es', plugins: () => [withoutKeyless()] },
  experimental: {
    // The demo's service worker puts the folder in its place.
    renderBuiltUrl: (file, { hostType }) =>
      hostType === 'html' ? `__BASE__${file}` : { relative: true },
  },
  build: {
    ...client.build,
    outDir: 'dist/demo',
    manifest: false,
    rolldownOptions: {
      output: {
        ...fileNames,
        // Many small files are larger than few.
        codeSplitting: {
          groups: [...pageChunks, { name: 'rest', test: /\/src\/web\//, priority: -1 }],
        },
      },
    },
  },
}

/** A part of the static demo as one classic script: browsers take no other from every host. */
function demoScript(name: string): UserConfig {
  const shim = (file: string): string => join(import.meta.dirname, `src/demo/node/${file}.ts`)
  return {
    plugins: [sqliteAlone(), policiesAsValues()],
    resolve: {
      alias: [
        { find: /^(?:node:)?crypto$/, replacement: shim('crypto') },
        { find: /^(?:node:)?zlib$/, replacement: shim('zlib') },
        { find: /^(?:node:)?util$/, replacement: shim('util') },
        { find: /^node:(?:events|http|net|timers\/promises)$/, replacement: shim('absent') },
        { find: /^(?:libsql|pino)$/, replacement: shim('absent') },
        { find: /^prom-client$/, replacement: shim('prom-client') },
      ],
    },
    build: {
      outDir: 'dist/demo',
      emptyOutDir: false,
      copyPublicDir: false,
      rolldownOptions: {
        input: `src/demo/${name}.ts`,
        // What the demo leaves out (PostgreSQL, Redis, files) is imported beside what it uses.
        treeshake: { moduleSideEffects: (id) => id.includes('/src/demo/') },
        output: { format: 'iife', entryFileNames: `${name}.js` },
      },
    },
  }
}

/**
 * SQLite runs in the service worker itself: what begins workers of its own stays out, and files of the
 * origin, which service workers can't open. Throws where a newer package looks different.
 */
function sqliteAlone(): Plugin {
  const part = /\n {6}globalThis\.sqlite3ApiBootstrap\.initializers\.push\([\s\S]*?\n {6}\}\);/g
  return {
    name: 'sqlite-alone',
    enforce: 'pre',
    transform: (code, id) => {
      if (!id.endsWith('/jswasm/sqlite3-bundler-friendly.mjs')) return undefined
      const isLeftOut = (text: string): boolean =>
        /sqlite3\.(?:initWorker1API|installOpfsSAHPoolVfs) = |installOpfsVfs = /.test(text)
      const leftOut = [...code.matchAll(part)].filter(([text]) => isLeftOut(text)).length
      if (leftOut !== 3) throw new Error(`${leftOut} parts of SQLite are left out instead of 3`)
      return code
        .replaceAll(part, (text) => (isLeftOut(text) ? '' : text))
        .replaceAll('import.meta.url', 'self.location.href')
    },
  }
}

interface Policies {
  readonly usualPolicies: (publicPem: string) => unknown
}

/** The made-up company's policies are read from YAML by the build: 30 kB less than by the demo. */
function policiesAsValues(): Plugin {
  return {
    name: 'policies-as-values',
    load: async (id) => {
      if (!id.endsWith('/governor/usual-policies.ts')) return undefined
      const { module } = await runnerImport<Policies>(id)
      const policies = JSON.stringify(module.usualPolicies('PUBLIC_KEY'))
      return `export function usualPolicies(publicPem) {
        const key = JSON.stringify(publicPem.trim()).slice(1, -1)
        return JSON.parse(${JSON.stringify(policies)}.replace('PUBLIC_KEY', () => key))
      }`
    },
  }
}

/** Leaves out what checks keyless signatures: the demo trusts no identities, so it never runs. */
function withoutKeyless(): Plugin {
  return {
    name: 'without-keyless',
    load: (id) =>
      id.endsWith('/data/attestation/keyless.ts')
        ? "export function checkKeyless() { throw new Error('the demo trusts no identities') }"
        : undefined,
  }
}

/** Packages of many small files, which Node would find and read one by one at each start. */
const ofManyFiles = ['hono', '@hono/node-server', 'jose', 'kysely', 'yaml', 'zod']

/** What is built, by mode; without one of these modes it is the client. */
const targets: Record<string, UserConfig> = {
  // The other packages that it uses stay in node_modules.
  server: { ...program('server'), ssr: { noExternal: ofManyFiles } },
  // With all that it needs in it.
  cli: { ...program('cli'), ssr: { noExternal: true } },
  // All three by `npm run build:demo`.
  demo,
  'demo-worker': demoScript('worker'),
  'demo-start': demoScript('start'),
}

/** All builds by mode (client, server, cli) and the unit tests. */
export default defineConfig(({ mode }) => ({
  // It may be called from anywhere.
  root: import.meta.dirname,
  ...(mode === 'test' ? {} : (targets[mode] ?? client)),
  test: {
    include: isMutated
      ? foundations.map((folder) => `src/${folder}/**/*.test.ts`)
      : ['src/**/*.test.ts', 'deploy/*.test.ts'],
    environment: 'node',
    globalSetup: 'src/shared-folder.test-support.ts',
    setupFiles: ['src/property-runs.test-support.ts'],
    // Files share processes: nothing in src keeps state between them.
    // Mutants of what is evaluated once, when it is loaded, need it loaded anew.
    isolate: isMutated,
    // One more works while others wait for a database or a clock.
    maxWorkers: availableParallelism() + 1,
    // A hung socket must not hang the run; nothing asserts on elapsed time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // By itself `expect.poll` would give up after a second, which a busy machine needs for less.
    expect: { poll: { timeout: 30_000 } },
    // Only `npm run coverage` measures; docs/proof.md has what it printed.
    coverage: {
      provider: 'v8',
      include: foundations.map((folder) => `src/${folder}/**/*.ts`),
      exclude: ['**/*.test.ts', '**/*.test-support.ts'],
      reporter: ['text', 'json-summary'],
      reportOnFailure: true,
      reportsDirectory: 'node_modules/.cache/coverage',
      thresholds: Object.fromEntries(
        foundations.map((folder) => [`src/${folder}/**`, reached] as const),
      ),
    },
  },
}))
