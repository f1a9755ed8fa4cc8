import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Remediation } from './remediation.tsx'

function render(text: string): string {
  return renderToStaticMarkup(createElement(Remediation, { text }))
}

/** Without the classes, and without the button beside code. */
function plain(text: string): string {
  return render(text)
    .replace(/<button.*?<\/button>/gs, '')
    .replace(
      / class="[^"]*"| tabindex="0"| target="_blank"| rel="noopener noreferrer nofollow"/g,
      '',
    )
    .replace(/<div><pre>(.*?)<\/pre><\/div>/gs, '<pre>$1</pre>')
    .replace(/^<div>(.*)<\/div>$/s, '$1')
    .replace(/>\n</g, '><')
}

test.each([
  ['one\ntwo\n\nthree', '<p>one\ntwo</p><p>three</p>'],
  ['one  \ntwo', '<p>one<br/>\ntwo</p>'],
  ['## Head *line*', '<p><strong>Head <em>line</em></strong></p>'],
  ['- a\n- b\n  - c', '<ul><li>a</li><li>b\n<ul><li>c</li></ul></li></ul>'],
  ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
  [
    'Run:\n```sh\n./gradlew  x\n  <b>\n```\nDone',
    '<p>Run:</p><pre>./gradlew  x\n  &lt;b&gt;</pre><p>Done</p>',
  ],
  ['> a\n> b', '<blockquote><p>a\nb</p></blockquote>'],
  ['a `maven { url }` b', '<p>a <code>maven { url }</code> b</p>'],
  ['under **uris** and snake_case_name', '<p>under <strong>uris</strong> and snake_case_name</p>'],
  ['2 * 3 * 4 and **open', '<p>2 * 3 * 4 and **open</p>'],
  ['\\*not\\* this', '<p>*not* this</p>'],
  [
    'See [the guide](https://wiki.example.com/a_b).',
    '<p>See <a href="https://wiki.example.com/a_b">the guide<span>↗ wiki.example.com</span></a>.</p>',
  ],
  [
    'See https://wiki.example.com/x, then go.',
    '<p>See <a href="https://wiki.example.com/x">https://wiki.example.com/x<span>↗ wiki.example.com</span></a>, then go.</p>',
  ],
  ['![logo](https://evil.example/p.png)', '<p>[picture: logo]</p>'],
  ['a\n\n---\n\nb', '<p>a</p><hr/><p>b</p>'],
  ['```\nnever closed', '<pre>never closed</pre>'],
])('%j is drawn', (text, markup) => {
  expect(plain(text)).toBe(markup)
})

const script = 'javascript:alert(1)'

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe src="https://evil.example"></iframe>',
  '<style>body{display:none}</style>',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<form action=https://evil.example><input name=token></form>',
  '<a href="javascript:alert(1)">x</a>',
  '<base href="https://evil.example/">',
  '<object data="data:text/html,x"></object>',
  '<details open ontoggle=alert(1)>',
  '<math><mi xlink:href="data:x,<script>alert(1)</script>">',
  '<!--><script>alert(1)</script>-->',
  '<<script>alert(1);//<</script>',
  '</div></main><h1>Releasable</h1>',
  `[x](${script})`,
  `[x](JaVaScRiPt:alert(1))`,
  `[x](java\nscript:alert(1))`,
  `[x](java\tscript:alert(1))`,
  `[x](\u0001${script})`,
  `[x]( ${script})`,
  `[x](&#106;avascript:alert(1))`,
  `[x](javascript&colon;alert(1))`,
  `[x](<${script}>)`,
  `<${script}>`,
  `[x](vbscript:msgbox(1))`,
  `[x](data:text/html;base64,PHNjcmlwdD4=)`,
  `[x](file:///etc/passwd)`,
  `[x](blob:https://evil.example/1)`,
  `[x](//evil.example/x)`,
  `[x](/upstream/governor/packages)`,
  `[x](\\\\evil.example\\x)`,
  `[x](https://good.example@evil.example/)`,
  `[x](https://user:password@evil.example/)`,
  `[x](https:\\\\evil.example)`,
  `[x](https://exa"mple.com/" onmouseover="alert(1))`,
  `[" onclick="alert(1)](https://evil.example/"onclick="alert(1))`,
  `[<img src=x onerror=alert(1)>](https://evil.example)`,
  `![x](https://evil.example/beacon.png?who=me)`,
  `![x](${script})`,
  `[![x](https://evil.example/beacon.png)](https://evil.example)`,
  `<img src="https://evil.example/beacon.png">`,
  '`<script>alert(1)</script>`',
  '```html\n<script>alert(1)</script>\n```',
  '```"><script>alert(1)</script>\nx\n```',
  '- <script>alert(1)</script>\n  > <img src=x onerror=alert(1)>',
  'safe \u202Egpj.exe\u202C \u2066x\u2069 \u200Bz\u0000',
  '[evil\u202Emoc.elgoog](https://evil.example)',
  '\u0000\uFFFE\uD800 [x](\uD800)',
  '[a][b]\n\n[b]: javascript:alert(1)',
  '*'.repeat(30_000),
  '['.repeat(30_000),
  '[]('.repeat(10_000),
  '![a]('.repeat(6_000),
  '> '.repeat(15_000),
  '- '.repeat(15_000),
  '`'.repeat(30_001),
  '*a **b '.repeat(3000),
  '_a* '.repeat(5000),
  `${'*a '.repeat(3000)}${'a*'.repeat(3000)}`,
  `${'*'.repeat(9)} `.repeat(2000),
  '&#8238;gpj&ZeroWidthSpace; [&#8238;x](https://evil.example/&#8238;x) ![&#8238;](x)',
  '[a]: <x>\n'.repeat(2000),
  `${'  '.repeat(90)}- a\n`.repeat(100),
  '<'.repeat(30_000),
  `[x](https://a${'(a'.repeat(9_000)}`,
  'https://'.repeat(4_000),
]

test.each(hostile.map((text, index) => [index + 1, text] as const))(
  'hostile text %i is nothing but text and links to the web',
  (_index, text) => {
    const markup = render(text)
    const tags = [...markup.matchAll(/<\/?([a-z0-9]+)([^>]*)>/g)]
    const drawn = new Set(tags.map(([, name]) => name))
    expect([...drawn].filter((name) => !allowed.has(name ?? ''))).toEqual([])
    for (const [, name, written = ''] of tags) {
      const names = [...written.matchAll(/ ([\w-]+)=/g)].map(([, attribute]) => attribute ?? '')
      expect(names.filter((attribute) => !attributesOf(name).includes(attribute))).toEqual([])
    }
    for (const [, href = ''] of markup.matchAll(/href="([^"]*)"/g)) {
      expect(href).toMatch(/^https?:\/\/[^@\\]+$/)
    }
    // What is left between the tags holds no tag of its own, and nothing that turns letters around.
    expect(markup.replace(/<\/?[a-z0-9]+(?: [\w-]+="[^"<>]*"| [\w-]+)*\/?>/g, '')).not.toMatch(
      /[<>]/,
    )
    expect(markup.replace(/\n/g, '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  },
)

test('what is too hard to read as Markdown keeps its lines', () => {
  const steps = Array.from({ length: 300 }, (_, at) => `${at}. Set **x** to \`y\``).join('\n')
  expect(render(steps)).toMatch(/<p class="[^"]*written[^"]*">0\. Set \*\*x\*\*[^<]*\n299\. Set/)
})

test('available boards: at least fifty hostile texts', () => {
  expect(new Set(hostile).size).toBeGreaterThanOrEqual(50)
})

test('a link says where it leads, whatever it calls itself', () => {
  expect(plain('[https://bank.example](https://evil.example/x)')).toContain(
    'https://bank.example<span>↗ evil.example</span>',
  )
  expect(plain('[x](https://аpple.com/)')).toContain('↗ xn--pple-43d.com')
})

const allowed = new Set(
  'div p strong em code pre ul ol li blockquote hr br a span button svg path'.split(' '),
)

const attributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'target', 'rel', 'class'],
  ol: ['start'],
  button: ['type', 'class', 'aria-label', 'title', 'tabindex'],
  svg: ['viewBox', 'aria-hidden'],
  path: ['d'],
}

function attributesOf(name = ''): readonly string[] {
  return attributes[name] ?? ['class', 'aria-hidden', 'tabindex']
}
