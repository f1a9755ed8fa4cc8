import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { allowedRequest, type AllowList, canonicalTarget, targetOf } from './allow-list.ts'
import { buildDataAllowList, governorAllowList } from './routes.ts'

const build = 'k3j7a2b9c4d5e'
const digest = 'sha256:4f2fa59'
const longId = 'a1_-'.repeat(70)

describe('documented requests are forwarded unchanged', () => {
  test.each<[AllowList, string, string]>([
    [buildDataAllowList, 'GET', '/build-export/v2/builds/since/0'],
    [buildDataAllowList, 'GET', '/build-export/v1/builds/since/now?stream'],
    [buildDataAllowList, 'GET', `/build-export/v2/builds/sinceBuild/${build}?stream=true`],
    [buildDataAllowList, 'GET', `/build-export/v2/build/${build}/events`],
    [
      buildDataAllowList,
      'GET',
      `/build-export/v1/build/${build}/events?eventTypes=BuildStarted,BuildFinished`,
    ],
    [buildDataAllowList, 'GET', '/api/builds?since=0&maxBuilds=3'],
    [buildDataAllowList, 'GET', `/api/builds?fromBuild=${build}&maxWaitSecs=20&reverse=true`],
    [buildDataAllowList, 'GET', '/api/builds?models=gradle-attributes&models=maven-attributes'],
    [
      buildDataAllowList,
      'GET',
      '/api/builds?query=value%3A%22Git%20branch%3Dmain%22%20buildStartTime%3E-7d',
    ],
    [buildDataAllowList, 'GET', '/api/builds/groups?query=project%3Ashop&by=failure'],
    [
      buildDataAllowList,
      'GET',
      '/api/builds/trends?query=tag%3ACI&by=branch&from=0&to=1767225600000',
    ],
    [buildDataAllowList, 'GET', `/api/builds/${build}?models=npm-attributes`],
    [buildDataAllowList, 'GET', `/api/builds/${build}/gradle-attributes`],
    [buildDataAllowList, 'GET', '/api/version'],
    [governorAllowList, 'POST', '/packages/oci/acme/app/1.2.3/attestations'],
    [governorAllowList, 'POST', '/packages/oci/app/1.2.3/attestations'],
    [governorAllowList, 'POST', '/packages/npm/%40acme/app/1.2.3%2Bbuild/policy-scans/release'],
    [governorAllowList, 'POST', '/packages/golang/github.com%2Facme/app/v1/policy-scans/release'],
    [governorAllowList, 'POST', '/packages/oci/app/1.2.3/policy-scans/release'],
    [governorAllowList, 'POST', '/packages/oci/a%2Fb/1%2F2/policy-scans/team%2Frelease'],
    [governorAllowList, 'GET', `/packages/oci/app/1/${digest}/attestations/af:x%2Fy/a%2Fb%2Fc`],
    [
      governorAllowList,
      'GET',
      `/packages/oci/acme/app/1.2.3/${digest}/attestations/af:tia/${longId}`,
    ],
    [governorAllowList, 'GET', `/packages/oci/app/1.2.3/${digest}/attestations/s3:main/${longId}`],
  ])('%#: %o', (list, method, target) => {
    expect(ask(list, method, target)).toMatchObject({ path: target })
  })

  test('a package name with a sign that is written either way is sent in one way', () => {
    expect(ask(governorAllowList, 'POST', '/packages/npm/@acme/app/1/attestations')).toMatchObject({
      path: '/packages/npm/%40acme/app/1/attestations',
    })
  })
})

describe('what they do not document is refused', () => {
  test.each<[string, AllowList, string, string, number]>([
    ['tokens are not to be had', buildDataAllowList, 'POST', '/api/auth/token', 404],
    ['nor are they by GET', buildDataAllowList, 'GET', '/api/auth/token', 404],
    ['another path', buildDataAllowList, 'GET', '/api/tests/containers', 404],
    [
      'a right beginning with a wrong rest',
      buildDataAllowList,
      'GET',
      '/build-export/v2/builds/since/0x',
      404,
    ],
    ['a date that is none', buildDataAllowList, 'GET', '/build-export/v2/builds/since/-1', 404],
    ['a version that is none', buildDataAllowList, 'GET', '/build-export/v3/builds/since/0', 404],
    ['a build id of 12 characters', buildDataAllowList, 'GET', '/api/builds/k3j7a2b9c4d5', 404],
    ['a build id of 14 characters', buildDataAllowList, 'GET', '/api/builds/k3j7a2b9c4d5ef', 404],
    ['a build id with a comma', buildDataAllowList, 'GET', '/api/builds/k3j7a2b9c4d5,', 404],
    [
      'the attributes of an unknown tool',
      buildDataAllowList,
      'GET',
      `/api/builds/${build}/make-attributes`,
      404,
    ],
    ['a trailing slash', buildDataAllowList, 'GET', '/api/builds/', 404],
    ['a trailing dot', buildDataAllowList, 'GET', '/api/version.', 404],
    ['the root', buildDataAllowList, 'GET', '/', 404],
    ['a prototype key as a path', buildDataAllowList, 'GET', '/constructor', 404],
    ['a method that is not offered', buildDataAllowList, 'POST', '/api/builds', 405],
    ['another one', buildDataAllowList, 'DELETE', `/api/builds/${build}`, 405],
    ['publishing by GET', governorAllowList, 'GET', '/packages/oci/app/1/attestations', 405],
    [
      'fetching by POST',
      governorAllowList,
      'POST',
      `/packages/oci/app/1/${digest}/attestations/s3:a/b`,
      405,
    ],
    [
      'an enforcement point',
      governorAllowList,
      'POST',
      '/packages/oci/a/b/1/policy-scans/c/enforcement-points/d',
      404,
    ],
    ['a slash in a type', governorAllowList, 'POST', '/packages/o%2Fci/a/b/1/attestations', 404],
    ['a query on evaluate', governorAllowList, 'POST', '/packages/oci/a/1/policy-scans/b?x=1', 400],
    ['an unknown query key', buildDataAllowList, 'GET', '/api/builds?since=0&admin=1', 400],
    ['a prototype key in the query', buildDataAllowList, 'GET', '/api/builds?constructor=1', 400],
    ['a repeated query key', buildDataAllowList, 'GET', '/api/builds?since=0&since=1', 400],
    [
      'a query key encoded to hide',
      buildDataAllowList,
      'GET',
      '/api/builds?%73ince=0&since=1',
      400,
    ],
    ['a query of 10 KB', buildDataAllowList, 'GET', `/api/builds?query=${'a'.repeat(5000)}`, 400],
    [
      'event types with a line break',
      buildDataAllowList,
      'GET',
      `/build-export/v2/build/${build}/events?eventTypes=A%0d%0aB`,
      400,
    ],
    [
      'too many event types',
      buildDataAllowList,
      'GET',
      `/build-export/v2/build/${build}/events?eventTypes=${'A,'.repeat(1000)}B`,
      400,
    ],
  ])('%s', (_name, list, method, target, status) => {
    expect(ask(list, method, target)).toMatchObject({ status })
  })

  test('an unknown path is answered with the known ones', () => {
    expect(ask(buildDataAllowList, 'GET', '/api/nothing').message).toContain(
      'GET /build-export/:exportVersion/builds/since/:date',
    )
  })

  test('a wrong method is answered with the allowed ones', () => {
    expect(ask(buildDataAllowList, 'POST', '/api/builds')).toMatchObject({
      problem: { allow: ['GET'] },
      message: 'This path accepts GET requests only.',
    })
  })

  test('a wrong query key is named', () => {
    expect(ask(buildDataAllowList, 'GET', '/api/builds?admin=1').message).toContain('"admin"')
  })
})

function ask(list: AllowList, method: string, target: string): { path?: string; message?: string } {
  const check = canonicalTarget(target)
  if (!check.ok) throw new Error(check.mistake)
  try {
    return allowedRequest(list, method, check.target.segments, check.target.query)
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
}

describe('a request target that others may read differently is refused', () => {
  test.each([
    ['a dot segment', '/api/../admin'],
    ['a single dot', '/api/./x'],
    ['a trailing dot segment', '/api/..'],
    ['an empty segment', '/api//x'],
    ['a path that names a host', '//evil/x'],
    ['a backslash', '/\\evil'],
    ['encoded dots', '/api/%2e%2e/x'],
    ['half encoded dots', '/api/.%2E/x'],
    ['an encoded slash', '/api%2Fbuilds'],
    ['an encoded backslash', '/api/%5Cx'],
    ['an encoded NUL', '/api/%00'],
    ['encoded line breaks', '/api/%0d%0ax'],
    ['an encoded escape character', '/api/%1b[31m'],
    ['double encoding', '/api/%252e%252e/x'],
    ['double encoding of a slash', '/api/%252fx'],
    ['an encoded percent sign before dots', '/api/%25../x'],
    ['a needlessly encoded letter', '/%61pi/builds'],
    ['a broken percent code', '/api/%zz'],
    ['a cut percent code', '/api/%4'],
    ["contains percent codes that aren't UTF-8.", '/api/%ff'],
    ['an overlong encoding of a slash', '/api/%c0%afx'],
    ['an absolute address', 'http://evil/'],
    ['an absolute address without a host', 'http:evil'],
    ['an authority', 'evil:443'],
    ['a star', '*'],
    ['nothing', ''],
    ['a fragment', '/api/builds#x'],
    ['a fragment in the query', '/api/builds?a=1#x'],
    ['a space', '/api/ builds'],
    ['a tab', '/\t/evil'],
    ['a line break', '/api\n/x'],
    ['a letter beyond ASCII', '/api/é'],
    ['a control character in the query', '/api?a=\u0001'],
    ['dots between encoded slashes in a package address', '/packages/npm/a%2F..%2Fb/c/1'],
    ['a dot segment in a package address', '/packages/npm/%2e%2e/c/1'],
    ['two encoded slashes in a package address', '/packages/npm/a%2F%2Fb/c/1'],
    ['an encoded slash beside the governor', '/upstream/governor/x%2Fpackages/y'],
  ])('%s: %j', (_name, target) => {
    expect(canonicalTarget(target)).toMatchObject({ ok: false, status: 400 })
  })

  test('and so is one that is too long, with a status of its own', () => {
    expect(canonicalTarget(`/${'a'.repeat(8192)}`)).toMatchObject({ ok: false, status: 414 })
  })
})

describe('a target in its one spelling is taken apart', () => {
  test.each<[string, string[], string]>([
    ['/', [''], ''],
    ['/builds?q=a%0Ab', ['builds'], 'q=a%0Ab'],
    ['/wall/50%25%20green', ['wall', '50% green'], ''],
    [
      '/api/builds?query=tag%3Aci&models=a&models=b',
      ['api', 'builds'],
      'query=tag%3Aci&models=a&models=b',
    ],
    ['/packages/npm/%40acme/app/1.2.3', ['packages', 'npm', '@acme', 'app', '1.2.3'], ''],
    ['/packages/npm/@acme/app/1.2.3', ['packages', 'npm', '@acme', 'app', '1.2.3'], ''],
    [
      '/upstream/governor/packages/golang/github.com%2Facme/app/v1',
      ['upstream', 'governor', 'packages', 'golang', 'github.com/acme', 'app', 'v1'],
      '',
    ],
    ['/builds/?', ['builds', ''], ''],
  ])('%s', (raw, segments, query) => {
    expect(canonicalTarget(raw)).toMatchObject({ ok: true, target: { segments, query } })
  })

  test('and a URL parser neither changes its path nor lets it name a host', () => {
    const piece = fc.constantFrom(
      'a',
      '.',
      '..',
      '/',
      '\\',
      '%',
      '%2e',
      '%2F',
      '%25',
      '@',
      ':',
      ' ',
      '#',
      '?',
      ';',
      '\t',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const raw = `/${pieces.join('')}`
        const check = canonicalTarget(raw)
        if (!check.ok) return
        const url = new URL(raw, 'http://upstream.example:81/base/')
        expect(url.host).toBe('upstream.example:81')
        expect(url.pathname).toBe(check.target.path)
      }),
      { numRuns: runs(2000) },
    )
  })
})

test('the target of an absolute address is what stands behind the host', () => {
  expect(targetOf('http://h:1/a/b?c=//d')).toBe('/a/b?c=//d')
  expect(targetOf('http://h')).toBe('/')
})
