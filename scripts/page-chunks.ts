/**
 * Which files the dashboard is built into, and which of them each page is drawn with: each file is a
 * request, and what a page doesn't show is not loaded with it (scripts/first-load.mjs prints both).
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, type Rolldown, runnerImport } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Modules {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null
}

/** For each module, those that import it, directly or not, and itself. */
const importersOfModules = new Map<string, ReadonlySet<string>>()

function importersOf(id: string, modules: Modules): ReadonlySet<string> {
  const known = importersOfModules.get(id)
  if (known !== undefined) return known
  const all = new Set([id])
  for (const each of all) {
    for (const importer of modules.getModuleInfo(each)?.importers ?? []) all.add(importer)
  }
  importersOfModules.set(id, all)
  return all
}

/** The pages that import a module, directly or not; `main` for what is loaded with all of them. */
function rootsOf(id: string, modules: Modules): ReadonlySet<string> {
  const roots = [...importersOf(id, modules)].map((importer) => {
    const root = /src\/web\/(?:app\/(main|shell)|features\/(.+-page))\.tsx$/.exec(importer)
    return root?.[1] ?? root?.[2]
  })
  return new Set(roots.filter((root) => root !== undefined))
}

/** Few files for what is seen first: what a wall shares, and what the shell and the feed have. */
function sharedOf(id: string, modules: Modules): string | null {
  const roots = rootsOf(id, modules)
  const isShared = roots.has('shell') || roots.has('feed/feed-page')
  return roots.has('wall/wall-page') && isShared ? 'live' : null
}

function isOnTiles(id: string, modules: Modules): boolean {
  return [...importersOf(id, modules)].some((one) => one.endsWith('/wall-screen.tsx'))
}

function chunkOf(id: string, modules: Modules): string | null {
  const roots = rootsOf(id, modules)
  // By its own name the manifest knows where a page begins.
  if (/(?:-page|app\/shell)\.tsx$/.test(id)) return null
  if (roots.has('wall/wall-page')) {
    return roots.size > 1 || isOnTiles(id, modules) ? 'config' : null
  }
  return roots.has('shell') || roots.has('feed/feed-page') ? 'feed' : null
}

/** What most pages show, and what of our own more than three of them share, also those of no release. */
function pagesOf(id: string, modules: Modules): string | null {
  if (id.includes('/node_modules/')) {
    const part =
      /esm\/(?:core|utils\/InlineInput|components\/(?:Alert|Anchor|Box|CloseButton|Flex|Group|Input|InputBase|NativeSelect|Paper|Portal|Progress|Stack|Text|Textarea|TextInput|Title))\//
    return part.test(id) ? 'pages' : null
  }
  const roots = rootsOf(id, modules)
  if (roots.size <= 3) return null
  const isSmall = /\/src\/(?:protocol|web\/(?:ui\/problem|domain\/(?:package|permission\/may)))/
  // By its own name the manifest knows what stands around pages that request.
  const isPage =
    !id.endsWith('/core/queries.tsx') && (isSmall.test(id) || roots.has('decode/decode-page'))
  return isPage ? 'pages' : null
}

/** What the pages of releases share, with their data, and those of builds: each file is a request. */
function releaseOf(id: string, modules: Modules): string | null {
  const isData =
    /\/src\/web\/(?:app\/page-services|data\/(?:audit|publish)\/|data\/board\/board-run|data\/scans\/policy-scan\.)/
  if (isData.test(id)) return 'release'
  const roots = rootsOf(id, modules)
  if (roots.size <= 3) return null
  if (!roots.has('packages/scan-page') && !roots.has('board/board-page')) return 'editor'
  const isOfBuilds = ['builds/builds-page', 'build-page/build-page', 'tests/tests-page'].some(
    (page) => roots.has(page),
  )
  return isOfBuilds ? 'forms' : 'release'
}

/** What the tiles of a wall need, which are loaded after the page that they stand on. */
function tilesOf(id: string, modules: Modules): string | null {
  const roots = rootsOf(id, modules)
  if (roots.has('wall/wall-page') || id.endsWith('/wall-screen.tsx')) return null
  if (!isOnTiles(id, modules)) return null
  return [...roots].every((root) => root.startsWith('wall/')) ? 'tiles' : 'claims'
}

/** What the list of builds shares with few others: a dozen files of less than 3 kB otherwise. */
function buildsOf(id: string, modules: Modules): string | null {
  const roots = rootsOf(id, modules)
  const isShared = [...importersOf(id, modules)].some((importer) =>
    /\/src\/web\/(?:app|features\/(?!builds\/))/.test(importer),
  )
  if (!roots.has('builds/builds-page') || !isShared) return null
  // Lists of runs show charts, too, and need no search language.
  return roots.has('activity/runs-page') ? 'charts' : 'builds'
}

/** What it has alone. By its own name the manifest knows where a page begins. */
function listOf(id: string, modules: Modules): string | null {
  const isOwn = rootsOf(id, modules).has('builds/builds-page') && !id.endsWith('-page.tsx')
  return isOwn ? 'list' : null
}

/** What of the bundler's modules goes into one file; those of a higher priority choose first. */
const groups: Rolldown.CodeSplittingGroup[] = [
  // All pages share the stream of the feed, and no more.
  { priority: 4, name: 'tabs', test: /\/core\/tab-group\.ts/ },
  { priority: 3, name: 'lezer', test: /node_modules\/@lezer\/(?:common|lr)\// },
  { priority: 8, name: 'app', tags: ['$initial'] },
  {
    priority: 7,
    name: 'parts',
    test: /node_modules\/@mantine\/core\/esm\/(?:core\/utils\/noop|core\/MantineProvider\/use-mantine-color-scheme|components\/(?:Button|Loader|Transition|UnstyledButton))\//,
  },
  // What opens above the page, and the library that places it, is apart from what stands in it.
  { priority: 6, name: pagesOf, test: /\/src\/|\/@mantine\/core\/esm\// },
  {
    priority: 5,
    name: 'controls',
    test: /node_modules\/(?:@floating-ui\/|react-remove-scroll|@mantine\/core\/esm\/(?:utils|components\/(?:Popover|Combobox|ScrollArea|Table|AccordionChevron|Badge|List|Drawer|Modal|ModalBase|Tooltip|Menu|Skeleton|Tabs|Checkbox|SegmentedControl))\/)/,
  },
  { priority: 3, name: 'numbers', test: /\/components\/NumberInput\// },
  {
    priority: 3,
    name: 'queries',
    test: /node_modules\/@tanstack\/(?:react-query|query-core)\//,
  },
  { priority: 7, name: sharedOf, test: /\/src\// },
  { priority: 7, name: chunkOf, test: /\/src\// },
  // A wall reads queries, too, and needs nothing else of what stands around pages.
  { priority: 3, name: 'search', test: /\/src\/search\// },
  {
    priority: 2,
    name: (id: string, modules: Modules) =>
      id.endsWith('/core/queries.tsx') ? null : releaseOf(id, modules),
    test: /\/src\//,
  },
  { priority: 1, name: tilesOf, test: /\/src\// },
  { priority: 1, name: buildsOf, test: /\/src\// },
  { name: listOf, test: /\/src\// },
  // Of two small modules most pages need both: one file less.
  { name: 'run', test: /\/domain\/run\/(?:cell-words|recorded-rows)\.ts$/ },
  { name: 'scan', test: /\/packages\/scan-(?:headline\.tsx|page\.module\.css)$/ },
  { name: 'test', test: /\/(?:tests\/tests-address\.ts|ui\/reason-until\.tsx)$/ },
]

/** With names for the bundler's own reports, which warn of groups without one. */
export const pageChunks = groups.map((group, index) => ({ debugName: `group ${index}`, ...group }))

interface PageRow {
  readonly path: string
  readonly from: unknown
  readonly needs?: readonly string[]
  readonly isBare?: true
}

interface Chunk {
  readonly imports: readonly string[]
  readonly css: readonly string[]
}

/** The parts of the services (src/web/data/core/services.ts), and where they are made. */
const makers: Readonly<Record<string, string>> = {
  ofPages: 'app/page-services.ts',
  ofBuilds: 'app/build-services.ts',
}

/**
 * Leaves in preloads.json, for the address of each page, all files that it is drawn with, besides those
 * that index.html names: the proxy names them in the page that it serves, so that a browser requests
 * them with the first ones and not after these. The entry, too, lists the scripts of each page: without
 * those that come with what is loaded beside the page anyway (src/web/app/routes.tsx).
 */
export function filesOfPages(): Plugin {
  const besidePages = new Map<string, ReadonlySet<string>>()
  return {
    name: 'files-of-pages',
    apply: 'build',
    config: () => ({
      build: {
        modulePreload: {
          // All browsers that this is built for have it.
          polyfill: false,
          resolveDependencies: (file, scripts) =>
            scripts.filter((script) => besidePages.get(file)?.has(script) !== true),
        },
      },
    }),
    // The heading is drawn without it: what draws that goes first.
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html.replace('<script type="module" ', '<script type="module" fetchpriority="low" '),
    },
    async generateBundle(_options, bundle) {
      const { module } = await runnerImport<{
        readonly pages: readonly PageRow[]
        readonly detailPages: readonly PageRow[]
      }>(join(root, 'src/web/app/pages.ts'))
      const chunks = new Map<string, Chunk>()
      const ofModules = new Map<string, string>()
      for (const [file, chunk] of Object.entries(bundle)) {
        if (chunk.type !== 'chunk') continue
        chunks.set(file, {
          imports: chunk.imports,
          css: [...(chunk.viteMetadata?.importedCss ?? [])],
        })
        for (const id of chunk.moduleIds) ofModules.set(id, file)
      }
      const withAll = (names: readonly string[]): Set<string> => {
        const files = new Set<string>()
        for (const name of names) {
          const file = ofModules.get(join(root, 'src/web', name))
          if (file === undefined) throw new Error(`${name} is in no file of the build`)
          files.add(file)
        }
        // What is added is looked at, too.
        for (const file of files)
          for (const next of chunks.get(file)?.imports ?? []) files.add(next)
        for (const file of [...files])
          for (const style of chunks.get(file)?.css ?? []) files.add(style)
        return files
      }
      const entry = withAll(['app/main.tsx'])
      const rows = [...module.pages, ...module.detailPages].map(({ path, from, needs, isBare }) => {
        const [page] = /features\/[\w/-]+\.tsx/.exec(String(from)) ?? []
        if (page === undefined) throw new Error(`${path} imports no module of web/features`)
        const beside = [
          ...(isBare === true ? [] : ['app/shell.tsx']),
          ...(needs ?? []).map((needed) => makers[needed] ?? needed),
        ]
        besidePages.set(ofModules.get(join(root, 'src/web', page)) ?? '', withAll(beside))
        const queries = needs === undefined ? [] : ['data/core/queries.tsx']
        const files = withAll([page, ...beside, ...queries])
        return { path, files: [...files].filter((file) => !entry.has(file)) }
      })
      this.emitFile({ type: 'asset', fileName: 'preloads.json', source: JSON.stringify(rows) })
    },
  }
}
