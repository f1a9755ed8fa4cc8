import { readdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import type { Plugin, UserConfig } from 'vite'
import { defineConfig } from 'vitest/config'

/** Everything that the proxy answers; the rest is the page and its assets. */
const proxied =
  '^/(?:session|live|upstream|config|healthz|readyz|metrics|history|screens)(?:[/?]|$)'

const proxy = 'http://127.0.0.1:8081'

interface Modules {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null
}

/** The pages that import a module, directly or not; `main` for what is loaded with all of them. */
const rootsOfModules = new Map<string, ReadonlySet<string>>()

function rootsOf(id: string, modules: Modules): ReadonlySet<string> {
  const known = rootsOfModules.get(id)
  if (known !== undefined) return known
  const roots = new Set<string>()
  const seen = new Set([id])
  for (const each of seen) {
    const root = /src\/web\/(?:app\/(main|shell)|features\/(.+-page))\.tsx$/.exec(each)
    if (root !== null) roots.add(root[1] ?? root[2] ?? '')
    for (const importer of modules.getModuleInfo(each)?.importers ?? []) seen.add(importer)
  }
  rootsOfModules.set(id, roots)
  return roots
}

/** Few files for what is seen first: what a wall shares, and what the shell and the feed have. */
function sharedOf(id: string, modules: Modules): string | null {
  const roots = rootsOf(id, modules)
  const isShared = roots.has('shell') || roots.has('feed/feed-page')
  return roots.has('wall/wall-page') && isShared ? 'live' : null
}

function chunkOf(id: string, modules: Modules): string | null {
  const roots = rootsOf(id, modules)
  // By its own name the manifest knows where a page begins.
  if (/(?:-page|app\/shell)\.tsx$/.test(id)) return null
  if (roots.has('wall/wall-page')) return roots.size > 1 ? 'config' : null
  return roots.has('shell') || roots.has('feed/feed-page') ? 'feed' : null
}

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

/** The package leads every bundler to the router's build for development: 1 kB of warnings more. */
function routerForProduction(): Plugin {
  const router = join(import.meta.dirname, 'node_modules/react-router/dist/production/index.mjs')
  return {
    name: 'router-for-production',
    apply: 'build',
    config: () => ({ resolve: { alias: [{ find: /^react-router$/, replacement: router }] } }),
  }
}

/** The dashboard, built into dist/client, from where the proxy serves it under a strict CSP. */
const client: UserConfig = {
  plugins: [react(), routerForProduction(), compressedCopies()],
  // The proxy writes a fresh nonce in its place with each page it serves.
  html: { cspNonce: '__CSP_NONCE__' },
  // What checks keyless bundles is loaded by the worker once there is one.
  worker: { format: 'es', plugins: () => [withoutTrustUpdates()] },
  build: {
    outDir: 'dist/client',
    // All browsers that this is built for have it.
    modulePreload: { polyfill: false },
    manifest: true,
    sourcemap: false,
    // The CSP allows no data: addresses.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // The entry lists them all: with the shortest name that serves.
        chunkFileNames: 'assets/[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:6][extname]',
        codeSplitting: {
          groups: [
            { priority: 1, name: 'lezer', test: /node_modules\/@lezer\/(?:common|lr)\// },
            { priority: 6, name: 'app', tags: ['$initial'] },
            {
              priority: 5,
              name: 'parts',
              test: /node_modules\/@mantine\/core\/esm\/(?:core\/utils\/noop|core\/MantineProvider\/use-mantine-color-scheme|components\/(?:Button|Loader|Transition|UnstyledButton))\//,
            },
            {
              priority: 3,
              name: 'controls',
              test: /node_modules\/(?:@floating-ui\/|@mantine\/core\/esm\/(?:utils|components\/(?:Popover|Combobox|Input|ScrollArea))\/)/,
            },
            {
              priority: 4,
              name: 'layout',
              test: /node_modules\/@mantine\/core\/esm\/components\/(?:AccordionChevron|Alert|Anchor|Badge|Box|CloseButton|Flex|Group|List|Paper|Stack|Table|Text|Title)\//,
            },
            {
              priority: 2,
              name: 'dialogs',
              test: /node_modules\/(?:react-remove-scroll[^/]*\/|@mantine\/core\/esm\/components\/(?:Drawer|Modal|ModalBase|Tooltip|Menu)\/)/,
            },
            {
              priority: 1,
              name: 'queries',
              test: /node_modules\/@tanstack\/(?:react-query|query-core)\//,
            },
            { priority: 5, name: sharedOf, test: /\/src\// },
            { priority: 1, name: chunkOf, test: /\/src\// },
            {
              // What stands around pages is loaded beside them, by a name that the manifest has.
              name: (id, modules) =>
                rootsOf(id, modules).size > 3 && !id.endsWith('/core/queries.tsx') ? 'pages' : null,
              test: /\/src\//,
            },
          ],
        },
      },
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

/** What is built, by mode; without one of these modes it is the client. */
const targets: Record<string, UserConfig> = {
  // The packages it uses stay in node_modules.
  server: program('server'),
  // With all that it needs in it.
  cli: { ...program('cli'), ssr: { noExternal: true } },
}

/** All builds by mode (client, server, cli) and the unit tests. */
export default defineConfig(({ mode }) => ({
  // It may be called from anywhere.
  root: import.meta.dirname,
  ...(mode === 'test' ? {} : (targets[mode] ?? client)),
  test: {
    include: ['src/**/*.test.ts', 'deploy/*.test.ts'],
    environment: 'node',
    // Files share a process per core: nothing in src keeps state between them.
    isolate: false,
    maxWorkers: availableParallelism(),
    // A hung socket must not hang the run; nothing asserts on elapsed time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // By itself `expect.poll` would give up after a second, which a busy machine needs for less.
    expect: { poll: { timeout: 30_000 } },
  },
}))
