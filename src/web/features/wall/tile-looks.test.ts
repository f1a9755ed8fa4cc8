import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type TileLook, tileLoudness } from '../../../facts/tile-order.ts'

type Color = readonly [number, number, number]
type Matrix = readonly [Color, Color, Color]

/** The rules of a style sheet: selector and declarations. */
function rulesOf(path: string): (readonly [string, string])[] {
  const text = readFileSync(join(import.meta.dirname, path), 'utf8').replace(/\/\*[^]*?\*\//g, '')
  return [...text.matchAll(/([^{};]+)\{([^{}]*)\}/g)].map(([, selector = '', body = '']) => [
    selector.trim().replace(/\s+/g, ' '),
    body,
  ])
}

const tokens = rulesOf('../../ui/tokens.css')
const styles = rulesOf('wall.module.css')

const schemes = ['light', 'dark'] as const
const palettes = ['default', 'blue', 'contrast'] as const
type Scheme = (typeof schemes)[number]

/** What is declared for a look, later rules over earlier ones. */
function declarationsOf(palette: string, look: TileLook): ReadonlyMap<string, string> {
  const isOwn = (selector: string): boolean =>
    selector.split(', ').includes('.wall') ||
    selector === `.wall[data-palette='${palette}']` ||
    selector === '.tile' ||
    (selector.startsWith('.tile') &&
      selector.includes(`[data-look='${look}']`) &&
      !/\) \S|\] \S/.test(selector.replaceAll(', ', ',')))
  const bodies = [
    ...tokens.filter(([selector]) => selector === ':root'),
    ...styles.filter(([selector]) => isOwn(selector)),
  ]
  return new Map(
    bodies.flatMap(([, body]) =>
      body.split(';').flatMap((declaration): [string, string][] => {
        const [name, ...value] = declaration.split(':')
        return name === undefined || value.length === 0
          ? []
          : [[name.trim(), value.join(':').trim()]]
      }),
    ),
  )
}

/** The color of a value, linear RGB. */
function colorOf(value: string, declared: ReadonlyMap<string, string>, scheme: Scheme): Color {
  const read = (inner: string): Color => colorOf(inner, declared, scheme)
  const [, name] = /^var\((--[\w-]+)\)$/.exec(value) ?? []
  if (name !== undefined) return read(declared.get(name) ?? '')
  const [, light = '', dark = ''] = /^light-dark\((#\w+), (#\w+)\)$/.exec(value) ?? []
  if (light !== '') return read(scheme === 'light' ? light : dark)
  const [, one, share, other] = /^color-mix\(in srgb, (.+?) (\d+)%, (.+)\)$/.exec(value) ?? []
  if (one !== undefined && other !== undefined) {
    const [a, b] = [read(one).map(encoded), read(other).map(encoded)]
    const part = Number(share) / 100
    return triple((index) => linear((a[index] ?? 0) * part + (b[index] ?? 0) * (1 - part)))
  }
  const [, hex] = /^#(\w{6})$/.exec(value) ?? []
  if (hex === undefined) throw new Error(`no color: ${value}`)
  return triple((index) => linear(Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16) / 255))
}

const linear = (part: number): number =>
  part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
const encoded = (part: number): number =>
  part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055
const triple = (of: (index: number) => number): Color => [of(0), of(1), of(2)]

/**
 * How eyes see linear RGB, at full severity: Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of
 * Color Vision Deficiency (2009), table 1.
 */
const eyes: Readonly<Record<string, Matrix>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

function seen(color: Color, [r, g, b]: Matrix): Color {
  const part = (row: Color): number =>
    Math.min(1, Math.max(0, row[0] * color[0] + row[1] * color[1] + row[2] * color[2]))
  return [part(r), part(g), part(b)]
}

/** As WCAG 2.2 has it, by relative luminance. */
function contrast(one: Color, other: Color): number {
  const [light = 0, dark = 0] = [one, other]
    .map(([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b)
    .sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** How different two colors look, in Oklab. */
function difference(one: Color, other: Color): number {
  const [a, b] = [oklab(one), oklab(other)]
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
}

function oklab([r, g, b]: Color): Color {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

/** What a look consists of where nothing of its text can be read, of a tile fifteen times as wide as its text is high. */
interface Picture {
  readonly fill: Color
  readonly band: Color
  /** The share of the tile that the band covers. */
  readonly bandArea: number
  readonly isDashed: boolean
  readonly page: Color
  readonly inks: readonly Color[]
}

function pictureOf(scheme: Scheme, palette: string, look: TileLook): Picture {
  const declared = declarationsOf(palette, look)
  const color = (name: string): Color => colorOf(`var(${name})`, declared, scheme)
  const isDashed = declared.has('--dash')
  const bandArea = (Number.parseFloat(declared.get('--band') ?? '') / 15) * (isDashed ? 0.5 : 1)
  return {
    fill: color('--fill'),
    band: color('--tone'),
    bandArea,
    isDashed,
    page: color('--surface-page'),
    inks: ['--ink', '--ink-dim', '--tone-ink'].map(color),
  }
}

/** What the tile comes to in a picture so small that its parts run into each other. */
function mean({ fill, band, bandArea }: Picture, eye: Matrix): Color {
  const [one, other] = [seen(band, eye), seen(fill, eye)]
  return triple((index) => (one[index] ?? 0) * bandArea + (other[index] ?? 0) * (1 - bandArea))
}

/** How much of the tile stands out from the page, and how far. */
function loudness({ fill, band, bandArea, page }: Picture, eye: Matrix): number {
  const of = (color: Color): number => contrast(seen(color, eye), seen(page, eye)) - 1
  return of(band) * bandArea + of(fill) * (1 - bandArea)
}

const isRed = (look: TileLook): boolean => look === 'failing' || look === 'newly-failing'
const others = tileLoudness.filter((look) => !isRed(look))
const cases = schemes.flatMap((scheme) => palettes.map((palette) => ({ scheme, palette })))

describe.each(cases)('in $scheme colors of the $palette palette', ({ scheme, palette }) => {
  const pictures = new Map(tileLoudness.map((look) => [look, pictureOf(scheme, palette, look)]))
  const of = (look: TileLook): Picture => pictures.get(look) ?? pictureOf(scheme, palette, look)

  describe.each(Object.entries(eyes))('with %s vision', (_, eye) => {
    test('what fails stands out as a whole from every other state, in however small a picture', () => {
      for (const red of ['failing', 'newly-failing'] as const) {
        for (const look of others) {
          const ratio = contrast(mean(of(red), eye), mean(of(look), eye))
          expect(ratio, `${red} beside ${look}`).toBeGreaterThan(3)
        }
      }
    })

    test('nine tenths of what fails are as loud as that, and a tenth of anything else at most', () => {
      const page = seen(of('failing').page, eye)
      const loud = ({ fill, band, bandArea }: Picture): number =>
        (contrast(seen(fill, eye), page) >= 3 ? 1 - bandArea : 0) +
        (contrast(seen(band, eye), page) >= 3 ? bandArea : 0)
      for (const look of tileLoudness) {
        if (isRed(look)) expect(loud(of(look)), look).toBeGreaterThan(0.9)
        else expect(loud(of(look)), look).toBeLessThan(0.1)
      }
    })

    test('states are as loud as they matter', () => {
      const loud = tileLoudness.map((look) => loudness(of(look), eye))
      expect(loud).toEqual(loud.toSorted((a, b) => b - a))
      expect(new Set(loud).size).toBe(loud.length)
    })

    test('each differs from every other in its fill, or its band', () => {
      tileLoudness.forEach((one, index) => {
        for (const other of tileLoudness.slice(index + 1)) {
          const [a, b] = [of(one), of(other)]
          const fills = difference(seen(a.fill, eye), seen(b.fill, eye))
          const bands = difference(seen(a.band, eye), seen(b.band, eye))
          const areas = Math.max(a.bandArea, b.bandArea) / Math.min(a.bandArea, b.bandArea)
          const isOther = fills > 0.05 || bands > 0.08 || areas > 1.4 || a.isDashed !== b.isDashed
          expect(isOther, `${one} beside ${other}: ${fills} ${bands} ${areas}`).toBe(true)
        }
      })
    })
  })

  test.each(tileLoudness)('everything written on a tile that is %s can be read', (look) => {
    const { fill, inks } = of(look)
    for (const ink of inks) expect(contrast(fill, ink)).toBeGreaterThan(4.5)
  })
})
