import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { boardWarnings, readConfigFile } from './config-file.ts'

const history = { keepDays: 365, keepPerScan: 500, longestWaiverDays: 90, remindDays: [7, 1] }
const nobody = { boardWebhooks: [], routeWebhooks: [], users: [], signIn: { roles: [] } }
const nothing = {
  savedQueries: [],
  trustedKeys: {},
  packages: [],
  boards: [],
  walls: [],
  defaultBranches: {},
  tests: { owners: {} },
}

/** The mistakes of a file called `f`. */
function mistakes(text: string): readonly string[] {
  const read = readConfigFile('f', text)
  return read.ok ? [] : read.mistakes
}

test('saved queries are read in their order, with what is said of them', () => {
  const text = `# What we look for
savedQueries:
  - name: Failed on main
    query: buildOutcome:failed and value:"Git branch=main"
    description: What keeps us from a release
  - name: Slow
    query: >-
      buildDuration>30m
      -tag:Nightly
`
  expect(readConfigFile('sightline.yaml', text)).toEqual({
    ok: true,
    ...nobody,
    history,
    shared: {
      ...nothing,
      savedQueries: [
        {
          name: 'Failed on main',
          query: 'buildOutcome:failed and value:"Git branch=main"',
          description: 'What keeps us from a release',
        },
        { name: 'Slow', query: 'buildDuration>30m -tag:Nightly' },
      ],
    },
  })
})

test.each(['', '# nothing yet\n', 'savedQueries: []', '{}', '---\n'])('%j says nothing', (text) => {
  expect(readConfigFile('sightline.yaml', text)).toEqual({
    ok: true,
    ...nobody,
    history,
    shared: nothing,
  })
})

test('every error is reported at once, by its line, with what to do', () => {
  const text = `savedQueries:
  - name: One
    query: projct:shop
  - name: Two
    query: buildDuration>soon (tag:a
  - nam: Three
    query: tag:a

  - name: One
    query: ""
    colour: red
  - name: 12
  - just a text
savedQuerys: []
tiles: 3
`
  const read = readConfigFile('conf/sightline.yaml', text)
  expect(read.ok ? [] : read.mistakes).toEqual([
    'conf/sightline.yaml line 3: savedQueries[0].query: Unknown field projct. Did you mean project? (at “projct”)',
    expect.stringMatching(/line 5: savedQueries\[1\]\.query: .*soon.*\(at “soon”\)$/),
    expect.stringMatching(/line 5: savedQueries\[1\]\.query: Missing closing parenthesis\./),
    'conf/sightline.yaml line 6: savedQueries[2].name is missing.',
    'conf/sightline.yaml line 6: savedQueries[2].nam is unknown. Did you mean name?',
    'conf/sightline.yaml line 9: savedQueries[3].name: savedQueries[0] is already named “One”. Names must be unique.',
    'conf/sightline.yaml line 10: savedQueries[3].query is empty.',
    'conf/sightline.yaml line 11: savedQueries[3].colour is unknown. Known names: name, query, description.',
    'conf/sightline.yaml line 12: savedQueries[4].name must be text. Put it in quotes.',
    'conf/sightline.yaml line 12: savedQueries[4].query is missing.',
    'conf/sightline.yaml line 13: savedQueries[5] must have a name and a query.',
    'conf/sightline.yaml line 14: savedQuerys is unknown. Did you mean savedQueries?',
    'conf/sightline.yaml line 15: tiles is unknown. Known names: savedQueries, trustedKeys, sigstore, packages, boards, walls, defaultBranches, tests, history, waivers, alerts, users, signIn.',
  ])
})

test('a list or nothing in place of a text is not to be put in quotes', () => {
  const text =
    'signIn:\n  roles:\n    - { claim: groups, value: [dev, ops], role: viewer }\n    - { claim: , value: a, role: viewer }'
  const read = readConfigFile('a.yaml', text)
  expect(read.ok ? [] : read.mistakes).toEqual([
    'a.yaml line 3: signIn.roles[0].value must be one text, not a list or a map.',
    'a.yaml line 4: signIn.roles[1].claim is empty.',
  ])
})

test('a warning in a query is no error', () => {
  const text = 'savedQueries: [{name: A, query: "tag:a or tag:b and tag:c"}]'
  expect(readConfigFile('sightline.yaml', text)).toMatchObject({ ok: true })
})

test.each([
  ['a: [', 'sightline.yaml line 1: Not valid YAML. '],
  ['savedQueries:\n  - name: a: b\n', 'sightline.yaml line 2: Not valid YAML. '],
  ['a: 1\nb: 2\na: 3\n', 'sightline.yaml line 3: Not valid YAML. Map keys must be unique.'],
  ['savedQueries: *nothing', 'sightline.yaml line 1: Not valid YAML. '],
  ['a: 1\n---\nb: 2\n', 'sightline.yaml line 2: A second document begins here. Keep one.'],
  ['- a\n', 'sightline.yaml line 1: The file must be a map such as “savedQueries: []”.'],
  ['savedQueries: 7', 'line 1: savedQueries must be a list of queries, each with a name.'],
])('%j is refused where it is wrong', (text, sentence) => {
  const read = readConfigFile('sightline.yaml', text)
  expect(read.ok ? '' : read.mistakes.join('\n')).toContain(sentence)
})

test('entities that multiply themselves are refused, not unfolded', () => {
  const lines = ['a0: &a0 [x, x]']
  for (let n = 1; n < 40; n += 1) lines.push(`a${n}: &a${n} [${`*a${n - 1}, `.repeat(9)}]`)
  const read = readConfigFile('sightline.yaml', lines.join('\n'))
  expect(read).toMatchObject({ ok: false })
})

test('keyless identities are read with their trusted root, inline or from the file that is named', () => {
  const identities = `
  identities:
    - {name: release, issuer: "https://issuer.example", identity: "https://ci.example/release"}
    - {name: any, issuer: "https://issuer.example", identityRegexp: 'https://ci\\.example/.*'}
`
  const root = { certificateAuthorities: [{ uri: 'https://ca.example' }] }
  const named = `sigstore:\n  trustedRoot: root.json${identities}`
  const inline = `sigstore:\n  trustedRoot: ${JSON.stringify(root)}${identities}`
  const files: Record<string, string> = { 'root.json': JSON.stringify(root) }
  const readBeside = (path: string): string => {
    const text = files[path]
    if (text === undefined) throw new Error(path)
    return text
  }
  for (const text of [named, inline]) {
    expect(readConfigFile('f', text, readBeside)).toMatchObject({
      ok: true,
      shared: {
        sigstore: { trustedRoot: root, identities: [{ name: 'release' }, { name: 'any' }] },
      },
    })
  }
  const mistakesOf = (text: string): readonly string[] => {
    const read = readConfigFile('f', text, readBeside)
    return read.ok ? [] : read.mistakes
  }
  expect(mistakesOf(named.replace('root.json', 'gone.json'))).toEqual([
    "f line 2: sigstore.trustedRoot: can't read gone.json: no such file can be read.",
  ])
  const wrong = named
    .replace('https://ci\\.example/.*', '(')
    .replace('identity: "https://ci.example/release"', '')
  expect(mistakesOf(wrong)).toEqual([
    'f line 4: sigstore.identities[0] must have either identity or identityRegexp, not both.',
    "f line 5: sigstore.identities[1].identityRegexp isn't a regular expression.",
  ])
})

test('trusted keys and packages are read, and a private key is refused without a word of it', () => {
  const { publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  const secret = Buffer.from('-----BEGIN EC PRIVATE KEY-----').toString('base64')
  const sha256 = 'ab'.repeat(32)
  const good = `trustedKeys:
  release: {pem: ${JSON.stringify(pem)}}
packages:
  - {purl: "pkg:oci/checkout@2.4.0", sha256: ${sha256}, repositoryUrl: registry.example.com/shop, scans: [release]}
`
  expect(readConfigFile('f', good)).toEqual({
    ok: true,
    ...nobody,
    history,
    shared: {
      ...nothing,
      trustedKeys: { release: { pem } },
      packages: [
        {
          purl: 'pkg:oci/checkout@2.4.0',
          sha256,
          repositoryUrl: 'registry.example.com/shop',
          scans: ['release'],
        },
      ],
    },
  })
  const bad = `trustedKeys:
  one: {pemBase64: ${secret}}
  two: {}
  three: {pem: ${JSON.stringify(pem)}, pemBase46: eA==}
  four: {pem: hello}
  five: {pemBase64: ${Buffer.from(pem).toString('base64')}}
packages:
  - {purl: checkout, sha256: ab, repositoryUrl: r}
  - {purl: "pkg:oci/checkout", sha256: ${sha256}}
`
  const read = readConfigFile('f', bad)
  expect(read.ok ? [] : read.mistakes).toEqual([
    'f line 2: trustedKeys.one.pemBase64 contains a private key. Use the public key only.',
    'f line 3: trustedKeys.two must have either pem or pemBase64, not both.',
    'f line 4: trustedKeys.three.pemBase46 is unknown. Did you mean pemBase64?',
    expect.stringMatching(/^f line 5: trustedKeys\.four\.pem isn't a public key: /),
    'f line 8: packages[0].purl: A package URL starts with "pkg:".',
    'f line 8: packages[0].sha256 must be 64 hexadecimal digits.',
    'f line 9: packages[1].purl has no version.',
    'f line 9: packages[1].repositoryUrl is missing.',
  ])
})

test('boards are read, and what is wrong with one is reported at its line', () => {
  const one = `{purl: "pkg:oci/checkout@2.4.0", sha256: ${'ab'.repeat(32)}, repositoryUrl: r, owner: shop}`
  const good = `boards:
  - {name: summer-1.2, title: Summer, packages: [${one}], scans: [release, audit], require: [high]}
`
  expect(readConfigFile('f', good)).toMatchObject({
    ok: true,
    shared: {
      boards: [
        {
          name: 'summer-1.2',
          title: 'Summer',
          packages: [{ purl: 'pkg:oci/checkout@2.4.0', scans: [], owner: 'shop' }],
          scans: ['release', 'audit'],
          require: ['high'],
        },
      ],
    },
  })
  expect(
    mistakes(`boards:
  - {name: a/b, packages: [], scans: []}
  - name: two
    packages:
      - {purl: "pkg:oci/checkout", sha256: ab, repositoryUrl: r, scan: release}
    scans: release
  - {name: two, packages: [${one}], scans: [release], tiles: []}
  - {}
  - name: three
    scans: [release, audit]
    packages:
      - ${one}
      - ${one.replace('}', ', scans: [Release]}')}
      - ${one.replace('2.4.0', `2.4.0?checksum=sha256:${'cd'.repeat(32)}`)}
      - ${one.replace('repositoryUrl: r', 'repositoryUrl: "https://ci:hunter2@registry.example/shop"')}
`),
  ).toEqual([
    'f line 2: boards[0].name must start with a letter or digit, followed by up to 63 letters, digits, dots, hyphens or underscores.',
    'f line 2: boards[0].packages has no packages.',
    'f line 2: boards[0].scans has no policy scans.',
    'f line 5: boards[1].packages[0].purl has no version.',
    'f line 5: boards[1].packages[0].sha256 must be 64 hexadecimal digits.',
    'f line 5: boards[1].packages[0].scan is unknown. Did you mean scans?',
    'f line 6: boards[1].scans must be a list of names.',
    'f line 7: boards[2].tiles is unknown. Known names: name, title, packages, scans, require, webhook.',
    'f line 7: boards[2].name: boards[1] is already named “two”. Names must be unique.',
    'f line 8: boards[3].name is missing.',
    'f line 8: boards[3].packages must be a list of packages.',
    'f line 8: boards[3].scans must be a list of names.',
    "f line 13: boards[4].packages[1].scans has none of the board's policy scans (release, audit), so nothing would be evaluated.",
    'f line 14: boards[4].packages[2].sha256 differs from the digest in purl.',
    'f line 15: boards[4].packages[3].repositoryUrl: The repository contains a user or password. Remove them.',
  ])
})

test('what a board leaves out by what is likely a slip is a warning', () => {
  const board = (scans: string, require: string): string => `
  - name: all
    scans: [release, audit, production]
    packages: [{purl: "pkg:oci/checkout@2.4.0", sha256: ${'ab'.repeat(32)}, repositoryUrl: r, scans: ${scans}}]
    require: ${require}
`
  const warnings = (scans: string, require = '[high]'): readonly string[] => {
    const read = readConfigFile('f', `boards:${board(scans, require)}`)
    return boardWarnings(read.ok ? read.shared.boards : [])
  }
  expect(warnings('[]')).toEqual([])
  // A list of packages may be that of several boards.
  expect(warnings('[release, staging]')).toEqual([])
  expect(warnings('[release, Audit]')).toEqual([
    "The board all has no policy scan “Audit”, so pkg:oci/checkout@2.4.0 isn't evaluated by it. Did you mean “audit”?",
  ])
  expect(warnings('[release, audit, audits]')).toEqual([])
  expect(warnings('[release]', '[critical]')).toEqual([
    'The board all requires “critical”, which is taken for the name of a policy. Of severities, use high.',
  ])
})

test('walls are read with their defaults, and errors in their tiles are reported', () => {
  const good = `walls:
  - name: all
  - {name: main, order: stable, group: tool, tiles: [{title: Failed, query: buildOutcome:failed, pinned: true, branch: develop}]}
defaultBranches: {checkout: release/1}
`
  expect(readConfigFile('f', good)).toMatchObject({
    ok: true,
    shared: {
      walls: [
        { name: 'all', tiles: [], order: 'failing-first', group: 'none' },
        {
          name: 'main',
          order: 'stable',
          group: 'tool',
          tiles: [
            { title: 'Failed', query: 'buildOutcome:failed', pinned: true, branch: 'develop' },
          ],
        },
      ],
      defaultBranches: { checkout: 'release/1' },
    },
  })
  expect(
    mistakes(`walls:
  - {name: "..", order: random, group: user}
  - name: main
    tiles:
      - {title: "", query: "projct:a", pinned: sometimes}
      - {name: x}
  - {name: main}
`),
  ).toEqual([
    'f line 2: walls[0].name must start with a letter or digit, followed by up to 63 letters, digits, dots, hyphens or underscores.',
    'f line 2: walls[0].order must be failing-first or stable.',
    'f line 2: walls[0].group must be none, project or tool.',
    'f line 5: walls[1].tiles[0].title is empty.',
    'f line 5: walls[1].tiles[0].query: Unknown field projct. Did you mean project? (at “projct”)',
    'f line 5: walls[1].tiles[0].pinned must be true or false.',
    'f line 6: walls[1].tiles[1].title is missing.',
    'f line 6: walls[1].tiles[1].query is missing.',
    'f line 6: walls[1].tiles[1].name is unknown. Known names: title, query, pinned, branch.',
    'f line 7: walls[2].name: walls[1] is already named “main”. Names must be unique.',
  ])
})

test('how long the history is kept is read, each part with its default', () => {
  const read = (text: string) => {
    const file = readConfigFile('f', text)
    return file.ok ? file.history : file.mistakes
  }
  expect(read('history: {keepDays: 30}')).toEqual({ ...history, keepDays: 30 })
  expect(read('history: {keepPerScan: 20}\nwaivers: {longestDays: 14}')).toEqual({
    keepDays: 365,
    keepPerScan: 20,
    longestWaiverDays: 14,
    remindDays: [7, 1],
  })
  expect(read('waivers: {approval: required, remindDays: [3]}')).toEqual({
    ...history,
    approval: 'required',
    remindDays: [3],
  })
  expect(read('waivers: {approval: {scans: [release], severities: [HIGH]}}')).toEqual({
    ...history,
    approval: { scans: ['release'], severities: ['high'] },
  })
  expect(read('waivers: {approval: maybe}')).toEqual([
    'f line 1: waivers.approval must be none, required, or a map of scans and severities, each a list of names.',
  ])
  expect(
    read('history: {keepDays: 0, keepPerscan: 3}\nwaivers:\n  longestDays: 1.5\n  keepDays: 3\n'),
  ).toEqual([
    'f line 1: history.keepDays must be a whole number from 1 to 3650.',
    'f line 1: history.keepPerscan is unknown. Did you mean keepPerScan?',
    'f line 3: waivers.longestDays must be a whole number from 1 to 366.',
    'f line 4: waivers.keepDays is unknown. Known names: longestDays, approval, remindDays.',
  ])
  expect(read('history: 30\nwaivers: [90]')).toEqual([
    'f line 1: history must be a map of keepDays and keepPerScan.',
    'f line 2: waivers must be a map of longestDays, approval and remindDays.',
  ])
})
