import { matchPath } from 'react-router'
import { describe, expect, test } from 'vitest'
import { offeredPackages } from '../../server/embedded/governor/seed-packages.ts'
import { check } from '../../search/check.ts'
import { parse } from '../../search/parse.ts'
import { tipOf } from './demo-tip.tsx'
import { detailPages, pages } from './pages.ts'

const all = [...pages, ...detailPages]
const packages = offeredPackages()

/** An address that the page at this path has. */
function addressOf(path: string): string {
  return path.replace(/:\w+/g, 'x')
}

function at(address: string): { readonly pathname: string; readonly search: string } {
  return new URL(address, 'http://localhost')
}

describe('the tips of the demo', () => {
  const withTip = pages.filter(({ isBare }) => isBare !== true)

  test.each(withTip)('has one thing to try on $label', ({ path }) => {
    expect(tipOf(at(path), packages)?.text).toMatch(/[.?]$/)
  })

  test('lead to pages that exist, by queries without a mistake, and to packages that are there', () => {
    for (const { path } of all) {
      const tip = tipOf(at(addressOf(path)), packages)
      if (tip === undefined) continue
      const { pathname, searchParams } = new URL(tip.to, 'http://localhost')
      expect(
        all.some((page) => matchPath(page.path, pathname) !== null),
        tip.to,
      ).toBe(true)
      expect(check(parse(searchParams.get('q') ?? '')), tip.to).toEqual([])
      expect(`${pathname}${tip.to}`).not.toMatch(/^\/packages\/packages$/)
    }
  })

  test('say nothing where they would lead to what is shown', () => {
    const { to } = tipOf(at('/builds'), packages) ?? { to: '' }
    expect(to).toContain('%20')
    expect(tipOf(at(to.replaceAll('%20', '+')), packages)).toBeUndefined()
    expect(tipOf(at('/builds?q=user%3Aada&view=groups&by=failure'), packages)).toBeUndefined()
    expect(tipOf(at('/tests?q=project%3Apayments'), packages)).toBeUndefined()
    expect(tipOf(at('/tests?q=project%3Acheckout'), packages)).toBeDefined()
  })

  test('say nothing on a board that the company does not have', () => {
    expect(tipOf(at('/board/release'), packages)?.text).toMatch(/^checkout 2\.5\.0/)
    expect(tipOf(at('/board/other'), packages)).toBeUndefined()
  })

  test('say nothing on a wall', () => {
    expect(tipOf(at('/wall'), packages)).toBeUndefined()
  })
})
