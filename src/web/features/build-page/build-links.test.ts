import { describe, expect, test } from 'vitest'
import { buildLinks } from './build-links.ts'

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

  test('is what it shares with others, its page on the server, and what it says itself', () => {
    const streak = { failures: 1, isOpen: true, branch: undefined, previous: 'bbbbbbbbbbbbb' }
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
      { text: 'The build before this one', to: '/builds/bbbbbbbbbbbbb' },
      { text: 'Same commit: check, failed', to: '/builds/ccccccccccccc' },
      { text: 'Page of the build server', address: 'https://builds.example.com/s/aaaaaaaaaaaaa' },
      { text: 'CI job', address: 'https://ci.example.com/1' },
    ])
  })
})
