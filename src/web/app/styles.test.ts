import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const web = join(import.meta.dirname, '..')
const mantine = join(web, '../../node_modules/@mantine/core/styles')

test('every part of Mantine that a page uses has its styles loaded', () => {
  const styles = readFileSync(join(web, 'app/styles.css'), 'utf8')
  const used = new Set(
    readdirSync(web, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.tsx'))
      .flatMap((path) => {
        const text = readFileSync(join(web, path), 'utf8')
        const lists = text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)
        return [...lists].flatMap(([, list = '']) => list.match(/\b[A-Z]\w+/g) ?? [])
      }),
  )
  expect(used.size).toBeGreaterThan(20)
  const unstyled = [...used].filter(
    (part) =>
      existsSync(join(mantine, `${part}.layer.css`)) &&
      !styles.includes(`styles/${part}.layer.css`),
  )
  expect(unstyled).toEqual([])
})

test('the borders of fields have a contrast of 3:1 on every surface (WCAG 2.2, 1.4.11)', () => {
  const tokens = readFileSync(join(web, 'ui/tokens.css'), 'utf8')
  const colors = [...tokens.matchAll(/--([a-z-]+): light-dark\((#\w{6}), (#\w{6})\)/g)]
  const pairOf = (name: string): string[] =>
    colors.find(([, one]) => one === name)?.slice(2) ?? ['', '']
  const edge = pairOf('line-strong')
  const surfaces = ['page', 'panel', 'raised', 'selected'].map((name) => pairOf(`surface-${name}`))
  for (const scheme of [0, 1]) {
    const ratios = surfaces.map((pair) => contrast(edge[scheme] ?? '', pair[scheme] ?? ''))
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(3)
  }
})

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(luminance).sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** Of `#rrggbb`, as WCAG 2.2 defines it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
