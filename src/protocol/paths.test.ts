import { expect, test } from 'vitest'
import { accessTokenPath, buildListPath, buildPath } from './build-data.ts'
import { buildEventsPath, buildsSinceBuildPath, buildsSincePath } from './build-export.ts'

test.each([
  [buildsSincePath('v2', 0, false), '/build-export/v2/builds/since/0'],
  [buildsSincePath('v1', 'now', true), '/build-export/v1/builds/since/now?stream'],
  [
    buildsSinceBuildPath('v2', 'aaaaaaaaaaaaa', true),
    '/build-export/v2/builds/sinceBuild/aaaaaaaaaaaaa?stream',
  ],
  [buildEventsPath('v2', 'aaaaaaaaaaaaa'), '/build-export/v2/build/aaaaaaaaaaaaa/events'],
  [
    buildEventsPath('v2', 'aaaaaaaaaaaaa', ['BuildStarted', 'a b&c']),
    '/build-export/v2/build/aaaaaaaaaaaaa/events?eventTypes=BuildStarted,a%20b%26c',
  ],
  [buildListPath({}), '/api/builds'],
  [
    buildListPath({ fromInstant: 0, reverse: true, query: 'a:b c', models: ['x', 'y'] }),
    '/api/builds?fromInstant=0&reverse=true&query=a%3Ab+c&models=x&models=y',
  ],
  [buildPath('aaaaaaaaaaaaa', ['x']), '/api/builds/aaaaaaaaaaaaa?models=x'],
  [accessTokenPath(), '/api/auth/token'],
  [accessTokenPath({ expiresInHours: 2 }), '/api/auth/token?expiresInHours=2'],
  [
    accessTokenPath({ permissions: ['exportData', 'readCache'], projectIds: ['a b', 'c,d'] }),
    '/api/auth/token?permissions=exportData&permissions=readCache&projectIds=a+b&projectIds=c%2Cd',
  ],
])('%s', (path, expected) => {
  expect(path).toBe(expected)
})
