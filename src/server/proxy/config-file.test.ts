import { expect, test } from 'vitest'
import { readConfigFile } from './config-file.ts'

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
    shared: {
      trustedKeys: {},
      packages: [],
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
    shared: { savedQueries: [], trustedKeys: {}, packages: [] },
  })
})

test('every mistake is told at once, by its line, with what to do', () => {
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
walls: 3
`
  const read = readConfigFile('conf/sightline.yaml', text)
  expect(read.ok ? [] : read.mistakes).toEqual([
    'conf/sightline.yaml line 3: savedQueries[0].query: No field is called projct. Did you mean project? (at “projct”)',
    expect.stringMatching(/line 5: savedQueries\[1\]\.query: .*soon.*\(at “soon”\)$/),
    expect.stringMatching(/line 5: savedQueries\[1\]\.query: A \) is missing\./),
    'conf/sightline.yaml line 6: savedQueries[2].name is missing.',
    'conf/sightline.yaml line 6: savedQueries[2].nam is not known. Did you mean name?',
    'conf/sightline.yaml line 9: savedQueries[3].name: savedQueries[0] has the name “One” already. Give each query its own.',
    'conf/sightline.yaml line 10: savedQueries[3].query is empty.',
    'conf/sightline.yaml line 11: savedQueries[3].colour is not known. There are name, query, description.',
    'conf/sightline.yaml line 12: savedQueries[4].name must be a text: put it in quotes.',
    'conf/sightline.yaml line 12: savedQueries[4].query is missing.',
    'conf/sightline.yaml line 13: savedQueries[5] must have a name and a query.',
    'conf/sightline.yaml line 14: savedQuerys is not known. Did you mean savedQueries?',
    'conf/sightline.yaml line 15: walls is not known. There are savedQueries, trustedKeys, packages.',
  ])
})

test('what is merely doubtful in a query is no mistake', () => {
  const text = 'savedQueries: [{name: A, query: "tag:a or tag:b and tag:c"}]'
  expect(readConfigFile('sightline.yaml', text)).toMatchObject({ ok: true })
})

test.each([
  ['a: [', 'sightline.yaml line 1: This is not YAML. '],
  ['savedQueries:\n  - name: a: b\n', 'sightline.yaml line 2: This is not YAML. '],
  ['a: 1\nb: 2\na: 3\n', 'sightline.yaml line 3: This is not YAML. Map keys must be unique.'],
  ['savedQueries: *nothing', 'sightline.yaml line 1: This is not YAML. '],
  ['a: 1\n---\nb: 2\n', 'sightline.yaml line 2: This is not YAML. '],
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

test('trusted keys and packages are read, and a private key is refused without a word of it', () => {
  const pem = '-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----\n'
  const secret = Buffer.from('-----BEGIN EC PRIVATE KEY-----').toString('base64')
  const sha256 = 'ab'.repeat(32)
  const good = `trustedKeys:
  release: {pem: ${JSON.stringify(pem)}}
packages:
  - {purl: "pkg:oci/checkout@2.4.0", sha256: ${sha256}, repositoryUrl: registry.example.com/shop, scans: [release]}
`
  expect(readConfigFile('f', good)).toEqual({
    ok: true,
    shared: {
      savedQueries: [],
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
  three: {pem: x, pemBase46: eA==}
packages:
  - {purl: checkout, sha256: ab, repositoryUrl: r}
  - {purl: "pkg:oci/checkout", sha256: ${sha256}}
`
  const read = readConfigFile('f', bad)
  expect(read.ok ? [] : read.mistakes).toEqual([
    'f line 2: trustedKeys.one.pemBase64 holds a private key. Only the public key belongs here.',
    'f line 3: trustedKeys.two must have one of pem and pemBase64.',
    'f line 4: trustedKeys.three.pemBase46 is not known. Did you mean pemBase64?',
    'f line 6: packages[0].purl: A package URL begins with "pkg:".',
    'f line 6: packages[0].sha256 must be 64 hexadecimal digits.',
    'f line 7: packages[1].purl has no version.',
    'f line 7: packages[1].repositoryUrl is missing.',
  ])
})
