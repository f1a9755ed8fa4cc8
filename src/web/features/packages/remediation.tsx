import { type ReactElement, useMemo } from 'react'
import Markdown, { type Components, type ExtraProps } from 'react-markdown'
import { CopyButton } from '../../ui/copy.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { safeLink } from '../../../attestation/decode/visible-text.ts'
import css from './scan-page.module.css'

/** More than this, in elements within each other, nobody reads. */
const deepest = 24

/**
 * A Markdown text from a server, as elements. It is untrusted: HTML stays text, images are named and
 * never fetched, only links to the web are links and show their host, and characters that hide or
 * reorder others are removed. A text that is nested too deeply stands as it is. Whoever shows it has cut it.
 */
export function Remediation({ text }: { text: string }): ReactElement {
  const drawn = useMemo(() => {
    const shown = withoutInvisible(text.replaceAll('\t', '    '))
    if (isHard(shown)) return asWritten(shown)
    try {
      return Markdown({
        children: shown,
        components,
        rehypePlugins: [() => cleanTree],
        urlTransform: (url) => url,
      })
    } catch {
      // Deeper than the stack.
      return asWritten(shown)
    }
  }, [text])
  return <div className={css.text}>{drawn}</div>
}

/** Its lists and steps are lines of their own. */
function asWritten(text: string): ReactElement {
  return <p className={css.written}>{text}</p>
}

/** Ten quotes and lists within each other, or the marks of ten emphases, on one line. */
const nested = /^(?:[ \t]{0,12}(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){10}|[*_]{10}[^\s*_]/m

/** Whether reading it would take long: the reader's time grows with the square of open marks. */
function isHard(text: string): boolean {
  return nested.test(text) || text.split(/[*_[<`]/).length > 1000
}

const heading: NonNullable<Components['h1']> = ({ children }) => (
  // No heading of the page: it would stand in its outline.
  <p>
    <strong>{children}</strong>
  </p>
)

const components: Components = {
  h1: heading,
  h2: heading,
  h3: heading,
  h4: heading,
  h5: heading,
  h6: heading,
  a: ({ href = '', children }) => {
    const leads = safeLink(href)
    return leads === undefined ? (
      // As it was written, so that nobody wonders where the link went.
      <>
        [{children}]({href})
      </>
    ) : (
      <ExternalLink href={leads.href} host={leads.host} text={children ?? leads.href} />
    )
  },
  // An image would tell its server who looks at it: its text stands in its place.
  img: ({ alt = '' }) => <>[picture: {alt.trim() || 'no description'}]</>,
  code: ({ children }) => <code>{children}</code>,
  pre: ({ node }) => {
    const code = node === undefined ? '' : textOf(node).replace(/\n$/, '')
    return (
      <div className={css.code}>
        <pre tabIndex={0}>{code}</pre>
        <CopyButton text={code} what="these commands" />
      </div>
    )
  },
}

/** Controls, direction marks and characters without width; line breaks stay. */
function withoutInvisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (char) => ('\n\r'.includes(char) ? char : ''))
}

type Element = NonNullable<ExtraProps['node']>
type Content = Element['children'][number]

/** What entities wrote is cleaned too; addresses in the text become links. */
function cleanTree(tree: { children: Content[] }): void {
  cleanChildren(tree, 0, false)
}

function cleanChildren(parent: { children: Content[] }, depth: number, isLiteral: boolean): void {
  parent.children = parent.children.flatMap((child): Content[] => {
    switch (child.type) {
      case 'text': {
        const value = withoutInvisible(child.value)
        return isLiteral ? [{ type: 'text', value }] : withLinks(value)
      }
      case 'element':
        if (depth === deepest) return [{ type: 'text', value: withoutInvisible(textOf(child)) }]
        for (const name of ['alt', 'href']) {
          const written = child.properties[name]
          if (typeof written === 'string') child.properties[name] = withoutInvisible(written)
        }
        cleanChildren(child, depth + 1, isLiteral || ['a', 'code'].includes(child.tagName))
        return [child]
      case 'raw':
      case 'comment':
        return [child]
    }
  })
}

const address = /(?<!\w)https?:\/\/[^\s<>"'`]{1,2000}/gi

function withLinks(text: string): Content[] {
  const parts: Content[] = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(address)) {
    // What ends a sentence is not part of the address.
    const href = found.replace(/[).,;:!?*_\]]{1,8}$/, '')
    if (safeLink(href) === undefined) continue
    parts.push({ type: 'text', value: text.slice(end, index) })
    parts.push({ type: 'element', tagName: 'a', properties: { href }, children: [] })
    end = index + href.length
  }
  parts.push({ type: 'text', value: text.slice(end) })
  return parts
}

function textOf(node: Content): string {
  if (node.type === 'text') return node.value
  return node.type === 'element' ? node.children.map(textOf).join('') : ''
}
