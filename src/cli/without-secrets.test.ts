import { expect, test } from 'vitest'
import { inline } from '../protocol/untrusted-text.ts'
import { createRedactor, withoutOrders } from './without-secrets.ts'

const secret = 'slt_a-b.c/p&ss w<rd"1*2\\[~é]'

test.each([
  ['Markdown', inline(secret)],
  ['XML', secret.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)],
  ['HTML', secret.replace('&', '&amp;').replace('<', '&lt;').replace('"', '&quot;')],
  ['JSON in JSON', JSON.stringify(JSON.stringify(secret))],
  ['JSON with escapes', JSON.stringify(secret).replace('&', '\\u0026').replace('/', '\\/')],
])('a secret is taken out as %s writes it', (_, text) => {
  expect(createRedactor([secret])(`a ${text} z`)).toMatch(/^a "?(?:\\")?\[secret\](?:\\")?"? z$/)
})

test('secrets are taken out in every form, and words that merely look alike stay', () => {
  const redact = createRedactor(['s3cr"t pass', 'abc'])
  const forms = [
    's3cr"t pass',
    encodeURIComponent('s3cr"t pass'),
    btoa('s3cr"t pass'),
    JSON.stringify('s3cr"t pass'),
  ]
  expect(redact(forms.join(' | '))).not.toMatch(/s3cr|czNjc/)
  for (const before of ['', 'x', 'xy']) {
    const header = btoa(`${before}cred s3cr"t pass!`)
    const twice = btoa(`${before}Basic ${btoa('s3cr"t pass')} HTTP/1.1`)
    expect(redact(header)).toContain('[secret]')
    expect(redact(twice)).toContain('[secret]')
  }
  expect(redact('abcdef')).toBe('abcdef')
})

test('what a server says is never an order to a pipeline', () => {
  expect(withoutOrders('why: ##[add-mask]x')).toBe('why: ## [add-mask]x')
  expect(withoutOrders('# Report\n  ::error::no\n##teamcity[x] ::stays\n> a ##vso[task.x]\n')).toBe(
    '# Report\n  : :error::no\n## teamcity[x] ::stays\n> a ## vso[task.x]\n',
  )
})

test('JSON without orders has the same value', () => {
  const value = [{ name: '##vso[task.setvariable variable=PATH]/evil ##[x]' }]
  const text = withoutOrders(JSON.stringify(value, null, 2))
  expect(text).not.toContain('##')
  expect(JSON.parse(text)).toEqual(value)
})
