import { Fragment, type ReactElement, useMemo } from 'react'
import { CopyButton } from '../../ui/copy.tsx'
import css from './scan-page.module.css'
import { type MarkdownBlock, readMarkdown } from './markdown.ts'
import type { MarkdownSpan } from './markdown-spans.ts'
import { ExternalLink } from '../../ui/external-link.tsx'

/**
 * A Markdown text from a server, as elements. It is a stranger's text: nothing in it is run or
 * fetched, and links say where they lead.
 */
export function Remediation({ text }: { text: string }): ReactElement {
  const blocks = useMemo(() => readMarkdown(text), [text])
  return <div className={css.text}>{blocks.map(block)}</div>
}

// What was read does not change, so that a place is as good as a name.
function block(part: MarkdownBlock, key: number): ReactElement {
  switch (part.is) {
    case 'paragraph':
      return <p key={key}>{part.spans.map(span)}</p>
    case 'heading':
      // No heading of the page: it would stand in its outline.
      return (
        <p key={key}>
          <strong>{part.spans.map(span)}</strong>
        </p>
      )
    case 'code':
      return (
        <div key={key} className={css.code}>
          <pre tabIndex={0}>{part.text}</pre>
          <CopyButton text={part.text} what="these commands" />
        </div>
      )
    case 'quote':
      return <blockquote key={key}>{part.blocks.map(block)}</blockquote>
    case 'list': {
      const items = part.items.map((item, index) => <li key={index}>{item.map(block)}</li>)
      return part.start === undefined ? (
        <ul key={key}>{items}</ul>
      ) : (
        <ol key={key} start={part.start}>
          {items}
        </ol>
      )
    }
    case 'rule':
      return <hr key={key} />
  }
}

function span(part: MarkdownSpan, key: number): ReactElement {
  switch (part.is) {
    case 'text':
      return <Fragment key={key}>{part.text}</Fragment>
    case 'code':
      return <code key={key}>{part.text}</code>
    case 'strong':
      return <strong key={key}>{part.spans.map(span)}</strong>
    case 'emphasis':
      return <em key={key}>{part.spans.map(span)}</em>
    case 'link':
      return <ExternalLink key={key} href={part.href} host={part.host} text={part.text} />
    case 'break':
      return <br key={key} />
  }
}
