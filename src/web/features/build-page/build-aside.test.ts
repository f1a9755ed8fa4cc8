import { describe, expect, test } from 'vitest'
import { attestationLinks, buildLinks } from './build-aside.tsx'

const id = 'aaaaaaaaaaaa1'
const publish = { text: 'Publish attestations', to: `/publish?builds=${id}` }
const app = {
  address: { type: 'oci', name: 'app', version: '1' },
  sha256: 'ab',
  repositoryUrl: 'r.example/shop',
  scans: [],
}

test('a build leads to the packages that it is known to stand behind', () => {
  expect(attestationLinks(id, [{ ...app, builds: [id] }, app], undefined)).toEqual([
    {
      text: 'Attestations: pkg:oci/app@1',
      to: '/packages/oci/app/1?sha256=ab&repository=r.example%2Fshop',
    },
    publish,
  ])
})

test('where none is known it leads to all of them', () => {
  const all = { text: 'Attestations', to: '/packages' }
  const governor = { kind: 'embedded', origin: null } as const
  expect(attestationLinks(id, [app], governor)).toEqual([all, publish])
})

test('without a policy service it leads to none', () => {
  expect(attestationLinks(id, [app], { kind: 'none', origin: null })).toEqual([])
})

const build = { receivedAt: 1, buildTool: 'gradle', buildToolVersion: '9', agentVersion: '4' }
const nothing = {
  buildId: 'aaaaaaaaaaaaa',
  facts: undefined,
  neighbours: undefined,
  ownLinks: [],
  server: undefined,
}

describe('where to go from a build', () => {
  test('is nowhere while nothing is known', () => {
    expect(buildLinks(nothing)).toEqual([])
    expect(buildLinks({ ...nothing, server: { kind: 'embedded', origin: null } })).toEqual([])
  })

  test('is a search also for a name that was cut amid a character', () => {
    const facts = { ...build, buildId: nothing.buildId, user: 'alice\ud83d' }
    expect(buildLinks({ ...nothing, facts })).toMatchObject([{ to: '/?user=alice%EF%BF%BD' }])
  })

  test('is what it shares with others, its page on the server, and its own links', () => {
    const streak = {
      failures: 1,
      isOpen: true,
      branch: undefined,
      previous: 'bbbbbbbbbbbbb',
      before: [],
      lastSuccess: undefined,
    }
    const other = {
      ...build,
      buildId: 'ccccccccccccc',
      requested: ['check'],
      outcome: 'failed' as const,
    }
    expect(
      buildLinks({
        buildId: 'aaaaaaaaaaaaa',
        facts: { ...build, buildId: 'aaaaaaaaaaaaa', project: 'shop', user: 'alice' },
        neighbours: { streak, sameCommit: [other] },
        ownLinks: [{ label: 'CI job', url: 'https://ci.example.com/1' }],
        server: { kind: 'server', origin: 'https://builds.example.com' },
      }),
    ).toEqual([
      { text: 'Builds of shop', to: '/?project=shop' },
      { text: 'Builds by alice', to: '/?user=alice' },
      { text: 'Previous build', to: '/builds/bbbbbbbbbbbbb' },
      { text: 'Same commit: check, failed', to: '/builds/ccccccccccccc' },
      { text: 'Build Scan', address: 'https://builds.example.com/s/aaaaaaaaaaaaa' },
      {
        text: 'Console log',
        address: 'https://builds.example.com/s/aaaaaaaaaaaaa/console-log',
      },
      { text: 'CI job', address: 'https://ci.example.com/1' },
    ])
  })
})
