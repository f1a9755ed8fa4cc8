import { Component, type ReactElement, type ReactNode, type Ref } from 'react'
import css from './page.module.css'
import { StatusShape, type StatusTone } from './status-mark.tsx'

/**
 * What every page begins with: where one is (`title`: a name, a package, an id), one sentence that
 * answers the question of the page, colored by `tone` where it is a status, and what can be done.
 */
export function PageHeader({
  title,
  sentence,
  tone,
  actions,
  children,
  sentenceRef,
  attributes,
}: {
  title?: ReactNode
  sentence: ReactNode
  tone?: StatusTone | undefined
  actions?: ReactNode
  /** Stands below the sentence: facts in a line, a notice. */
  children?: ReactNode
  /** For pages that move the focus to their sentence. */
  sentenceRef?: Ref<HTMLHeadingElement>
  /** Data attributes of the sentence, by their names. */
  attributes?: Readonly<Record<`data-${string}`, string | undefined>>
}): ReactElement {
  return (
    <header className={css.header}>
      <div className={css.headline}>
        {title !== undefined && <div className={css.place}>{title}</div>}
        <h1
          ref={sentenceRef}
          tabIndex={sentenceRef === undefined ? undefined : -1}
          className={css.sentence}
          data-tone={tone}
          {...attributes}
        >
          {tone !== undefined && <StatusShape tone={tone} />}
          <span>{sentence}</span>
        </h1>
        {children}
      </div>
      {actions !== undefined && <div className={css.actions}>{actions}</div>}
    </header>
  )
}

/** A page that is a form, at most 720 px wide. */
export function FormPage({
  header,
  children,
}: {
  header: ReactNode
  children: ReactNode
}): ReactElement {
  return (
    <div className={css.page}>
      {header}
      <div className={css.columns} data-page="form">
        <div className={css.column}>{children}</div>
      </div>
    </div>
  )
}

/** A part of a page under a small heading. */
export function Section({
  title,
  children,
}: {
  title: ReactNode
  children: ReactNode
}): ReactElement {
  return (
    <section className={css.section} aria-label={typeof title === 'string' ? title : undefined}>
      <h2 className={css.title}>{title}</h2>
      {children}
    </section>
  )
}

/** Terms and their values, in two columns; made of `Fact`. */
export function Facts({ children }: { children: ReactNode }): ReactElement {
  return <dl className={css.facts}>{children}</dl>
}

/** A term and its value, for a `<dl>`; nothing where there is no value. */
export function Fact({
  name,
  children,
}: {
  name: ReactNode
  children: ReactNode
}): ReactElement | null {
  if (children === undefined || children === null || children === false || children === '') {
    return null
  }
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

/** Where nothing is: says what would appear here and how, and offers the next step. */
export function EmptyState({
  title,
  heading: Heading = 'h2',
  children,
  action,
}: {
  title: string
  /** `h1` where it stands in place of a whole page. */
  heading?: 'h1' | 'h2'
  children?: ReactNode
  action?: ReactNode
}): ReactElement {
  return (
    <div className={css.empty}>
      <Heading className={css.lead}>{title}</Heading>
      <div className={css.text}>{children}</div>
      {action}
    </div>
  )
}

/** Shows `fallback` in place of what is below where that fails, until it is `of` something else. */
export class ErrorBoundary extends Component<
  {
    readonly of: string
    readonly fallback: (error: unknown) => ReactNode
    readonly children: ReactNode
  },
  { readonly error?: unknown; readonly hasFailed: boolean }
> {
  override state = { hasFailed: false, error: undefined }

  static getDerivedStateFromError(error: unknown): { error: unknown; hasFailed: boolean } {
    return { error, hasFailed: true }
  }

  override componentDidUpdate({ of }: { readonly of: string }): void {
    if (this.state.hasFailed && of !== this.props.of) this.setState({ hasFailed: false })
  }

  override render(): ReactNode {
    const { fallback, children } = this.props
    return this.state.hasFailed ? fallback(this.state.error) : children
  }
}
