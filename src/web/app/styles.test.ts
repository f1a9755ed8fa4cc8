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
