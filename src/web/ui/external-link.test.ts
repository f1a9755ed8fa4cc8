import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { StrangerLink } from './external-link.tsx'

const shown = (address: string): string =>
  renderToStaticMarkup(createElement(StrangerLink, { address, children: 'the text' }))

test('a link of a stranger shows where it leads', () => {
  const html = shown('https://ci.example/job/7')
  expect(html).toContain('href="https://ci.example/job/7"')
  expect(html).toContain('rel="noopener noreferrer nofollow"')
  expect(html).toContain('↗ ci.example')
})

test.each([
  'https://good.example@evil.example/',
  'https://user:word@evil.example/',
  'javascript:alert(1)',
  'https://exam\u200Bple.com/',
  'see https://ci.example',
])('%j stays text', (address) => {
  expect(shown(address)).toBe('the text')
})
