import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalTarget, targetOf } from './canonical-target.ts'

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
    ['percent codes that are not UTF-8', '/api/%ff'],
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
      { numRuns: 2000 },
    )
  })
})

test('the target of an absolute address is what stands behind the host', () => {
  expect(targetOf('http://h:1/a/b?c=//d')).toBe('/a/b?c=//d')
  expect(targetOf('http://h')).toBe('/')
})
