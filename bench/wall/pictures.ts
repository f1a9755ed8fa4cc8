import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import * as z from 'zod/mini'
import { ProxyConfig } from '../../src/protocol/proxy-config.ts'
import { Session } from '../../src/protocol/session.ts'
import type { WallTile } from '../../src/protocol/wall.ts'

const sizes = [
  { width: 1920, height: 1080 },
  { width: 3840, height: 2160 },
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
]
const counts = [1, 10, 15, 60, 300]
const schemes = ['dark', 'light'] as const
/** How large a screen seems from four meters. */
const afar = 0.25

/**
 * Draws the company's wall with few and many tiles on all sizes of screens, into a folder, and for each size a sheet on which
 * all of them are as small as from afar.
 */
export async function drawWalls(browser: Browser, url: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const tiles = await tilesOf(url)
  const drawn = new Map<string, string[]>()
  for (const scheme of schemes) {
    for (const count of counts) {
      const page = await browser.newPage()
      await page.goto(`${url}${linkOf(tiles, count, scheme)}`)
      for (const size of sizes) {
        await page.setViewportSize(size)
        await page.getByRole('article').first().waitFor()
        // The controls go, and the text is fitted to the room.
        await page.waitForTimeout(size === sizes[0] ? 8000 : 1500)
        const path = join(folder, `${size.width}-${scheme}-${count}.png`)
        await page.screenshot({ path })
        drawn.set(`${size.width}`, [...(drawn.get(`${size.width}`) ?? []), path])
      }
      await page.close()
    }
  }
  for (const [width, paths] of drawn) {
    const images = await Promise.all(
      paths.map(async (path) => {
        const data = (await readFile(path)).toString('base64')
        return `<img width="${Number(width) * afar}" src="data:image/png;base64,${data}">`
      }),
    )
    const page = await browser.newPage({
      viewport: { width: 5 * (Number(width) * afar + 8), height: 100 },
    })
    await page.setContent(`<body style="margin:0;background:gray">${images.join(' ')}`)
    await writeFile(join(folder, `afar-${width}.png`), await page.screenshot({ fullPage: true }))
    await page.close()
  }
}

/** The tiles of the first wall that the server offers. */
async function tilesOf(url: string): Promise<readonly WallTile[]> {
  const { token } = Session.parse(await (await fetch(`${url}/session`, { method: 'POST' })).json())
  const headers = { authorization: `Bearer ${token}` }
  const { walls } = z.parse(ProxyConfig, await (await fetch(`${url}/config`, { headers })).json())
  return walls[0]?.tiles ?? []
}

/** So many tiles: those of the wall, and then others with the same builds under longer names. */
function linkOf(tiles: readonly WallTile[], count: number, scheme: string): string {
  const each = Array.from({ length: count }, (_, index) => {
    const { title, query } = tiles[index % tiles.length] ?? { title: 'All', query: 'tag:CI' }
    const round = Math.floor(index / tiles.length)
    return round === 0
      ? `${title}~${query}`
      : `${title} integration-tests ${round}~(${query}) and -tag:none-of-${index}`
  })
  const settings = `scheme:${scheme},drift:false`
  return `/wall/pictures#${new URLSearchParams({ tiles: each.join(';'), settings }).toString()}`
}
