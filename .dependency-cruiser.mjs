/**
 * The import table of src/README.md, executable and deny by default: an import that no row below
 * allows is an error, and so is every import of a folder that has no row yet.
 */
/** Tests, and what only tests use. */
const test = '\\.test(-support)?\\.tsx?$'
const pure = ['protocol', 'search', 'facts', 'policy', 'attestation']
const foundations = pure.map((folder) => `^src/${folder}/`)

/** One row of the table: what the files under `folder` may import besides themselves. */
function row(folder, { house = [], packages = [] }) {
  return [
    {
      from: { path: `^src/${folder}/`, pathNot: test },
      to: { path: [`^src/${folder}/`, ...house], pathNot: test },
    },
    {
      from: { path: `^src/${folder}/`, pathNot: test },
      to: { path: packages.map((name) => `^node_modules/(?:@types/)?${name}(?:/|$)`) },
    },
  ].filter((rule) => rule.to.path.length > 0)
}

/** Folders that may use whatever package.json declares (the pure ones may not). */
function anyPackage(path, dependencyTypes = ['npm']) {
  return {
    from: { path, pathNot: test },
    to: {
      dependencyTypes,
      pathNot: '^node_modules/@microsoft/fetch-event-source',
    },
  }
}

export default {
  allowed: [
    ...row('protocol', { packages: ['zod/mini', 'eventsource-parser'] }),
    ...row('search', { house: ['^src/protocol/'], packages: ['@lezer/[^/]+'] }),
    ...row('attestation', { house: ['^src/protocol/'] }),
    ...row('facts', { house: ['^src/protocol/'] }),
    ...row('policy', { house: ['^src/protocol/'] }),
    ...row('server/store', { house: ['^src/protocol/'] }),
    ...row('server/live-log', { house: ['^src/protocol/'] }),
    ...row('server/proxy', {
      house: [...foundations, '^src/server/store/', '^src/server/live-log/'],
    }),
    ...row('server/embedded', { house: [...foundations, '^src/server/store/'] }),
    {
      from: { path: '^src/server/[^/]+\\.ts$', pathNot: test },
      to: {
        path: ['^src/server/', '^src/protocol/', '^src/search/check/nearest\\.ts$'],
        pathNot: test,
      },
    },
    // The version that is shown and sent along.
    { from: { path: '^src/(?:server|cli)/main\\.ts$' }, to: { path: '^package\\.json$' } },
    anyPackage('^src/server/'),
    { from: { path: '^src/server/', pathNot: test }, to: { dependencyTypes: ['core'] } },
    // The static demo stands on the server's handlers, and on no process.
    ...row('demo', {
      house: [
        '^src/server/embedded-company\\.ts$',
        '^src/server/embedded/embedded\\.ts$',
        '^src/server/embedded/content/history\\.ts$',
        '^src/server/(?:proxy|live-log|store)/',
        '^src/protocol/',
      ],
    }),
    anyPackage('^src/demo/', ['npm', 'npm-dev']),
    ...row('cli', { house: foundations }),
    anyPackage('^src/cli/'),
    { from: { path: '^src/cli/' }, to: { dependencyTypes: ['core'] } },
    ...row('web/data', { house: foundations }),
    ...row('web/ui', { house: foundations }),
    {
      from: { path: '^src/web/domain/([^/]+)/', pathNot: test },
      to: {
        // Who may do something is the same for every subject.
        path: ['^src/web/domain/(?:$1|permission)/', '^src/web/(?:data|ui)/', ...foundations],
        pathNot: test,
      },
    },
    {
      from: { path: '^src/web/features/([^/]+)/', pathNot: test },
      to: {
        path: ['^src/web/features/$1/', '^src/web/(?:domain|data|ui)/', ...foundations],
        pathNot: test,
      },
    },
    {
      from: { path: '^src/web/app/', pathNot: test },
      to: { path: ['^src/web/', ...foundations], pathNot: test },
    },
    anyPackage('^src/web/', ['npm', 'npm-dev']),
    {
      from: { path: '^src/web/data/core/event-source\\.ts$' },
      to: { path: '^node_modules/@microsoft/fetch-event-source' },
    },
    // It describes all of them, and is in none of what is built.
    ...row('reference', { house: [...foundations, '^src/(?:server|cli)/'] }),
    anyPackage('^src/reference/', ['npm', 'npm-dev']),
    { from: { path: '^src/reference/', pathNot: test }, to: { dependencyTypes: ['core'] } },
    { from: { path: '^src/reference/' }, to: { path: '^package\\.json$' } },
    { from: { path: [test, '^e2e/', '^bench/'] }, to: {} },
  ],
  allowedSeverity: 'error',
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'nothing-imports-a-test',
      severity: 'error',
      from: { pathNot: [test, '^e2e/'] },
      to: { path: test },
    },
    {
      name: 'not-even-a-test-imports-a-test',
      severity: 'error',
      from: {},
      to: { path: '\\.test\\.tsx?$' },
    },
    {
      name: 'zod-mini-in-the-browser',
      comment: 'One import of the other zod makes each first load 6 kB larger.',
      severity: 'error',
      from: { path: '^src/web/', pathNot: test },
      to: { path: '^node_modules/zod/(?!mini/)' },
    },
    {
      name: 'no-node-in-the-demo',
      comment:
        'What the static demo runs, it runs in a browser: of Node it has what src/demo/node/ makes.',
      severity: 'error',
      from: { path: '^src/demo/worker\\.ts$' },
      to: {
        path: '^(?:node:)?(?:child_process|cluster|dns|fs|os|tls|worker_threads)$',
        reachable: true,
      },
    },
    {
      name: 'unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'module', 'browser', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.css', '.json'],
    },
  },
}
