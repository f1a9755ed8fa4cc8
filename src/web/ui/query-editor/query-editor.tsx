import { ActionIcon } from '@mantine/core'
import {
  type ReactElement,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { applyEdits, type Diagnostic, type TextEdit } from '../../../search/diagnostic.ts'
import { type KeyBinding, useKeys } from '../keys.tsx'
import { VisuallyHidden } from '../text.tsx'
import type { codeEditor, CodeEditorHandle, CodeEditorProps } from './code-editor.tsx'
import { type QueryAssistance, useRested } from './query-assistance.ts'
import { lazyPopup } from '../lazy-part.tsx'
import css from './query-editor.module.css'
import type { EditorCommandName } from './query-keymap.ts'
import { type CaretPlace, caretPlaceOf, createEcho } from './text-change.ts'

export interface QueryEditorProps {
  /** The query. Another text than the editor reported last replaces what stands there. */
  readonly text: string
  /** Told each edit, also those by fixes, chips and undo. */
  readonly onChange: (text: string) => void
  /** Enter, or Mod-Enter. */
  readonly onRun: (text: string) => void
  /** The accessible name. */
  readonly label: string
  readonly assistance: QueryAssistance
  /** Shown like the editor's own until the query is changed, such as the diagnostics of a server. */
  readonly remarks?: readonly Diagnostic[]
  /** Said to a screen reader whenever it changes: "128 builds match". Not for what changes often. */
  readonly status?: string
  readonly placeholder?: string
  readonly focusKey?: boolean
  readonly ref?: Ref<QueryEditorHandle>
}

/** How others change what stands in the editor; it all goes through its one undo history. */
export interface QueryEditorHandle {
  /** Edits of the text reported last. Where a value has to be written then, the editor takes the focus. */
  readonly apply: (edits: readonly TextEdit[]) => void
  readonly focus: () => void
}

/** How long the summary of a query stays the same before it is read out, ms. */
const readOutAfterMs = 700
const noRemarks: readonly Diagnostic[] = []
const usualPlaceholder = 'checkout failed, or project:checkout buildOutcome:failed'
const QuerySyntax = lazyPopup(async () => (await import('./query-syntax.tsx')).QuerySyntax)

/** A field for a query: a plain one until the editor is loaded and takes over its text, caret and focus. */
export function QueryEditor(props: QueryEditorProps): ReactElement {
  const { text, onChange, onRun, label, assistance, remarks = noRemarks, status, ref } = props
  const { placeholder = usualPlaceholder } = props
  const plain = useRef<HTMLTextAreaElement>(null)
  const code = useRef<CodeEditorHandle>(null)
  const place = useRef<CaretPlace>(undefined)
  const [echo] = useState(createEcho)
  const [isComposing, setComposing] = useState(false)
  const [summary, setSummary] = useState('')
  const saidId = useId()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const loaded = useCodeEditor()
  // A letter that is put together from several keys would be lost on the way.
  const render = isComposing ? undefined : loaded

  const focus = (): void => {
    if (code.current !== null) code.current.focus()
    else plain.current?.focus()
  }

  useImperativeHandle(ref, () => ({
    apply: (edits) => {
      if (code.current !== null) code.current.apply(edits)
      else onChange(applyEdits(text, edits))
    },
    focus,
  }))

  useEditorKeys({
    hasFocusKey: props.focusKey === true,
    focus,
    runQuery: () => {
      onRun(text)
    },
    command: (name) => {
      code.current?.run(name)
    },
    help: () => {
      setHelpOpen(true)
    },
  })

  return (
    <div className={css.frame}>
      {render === undefined ? (
        <PlainEditor
          ref={plain}
          {...{ text, onRun, label, place, placeholder, describedBy: saidId }}
          onChange={(typed) => {
            echo.report(typed)
            onChange(typed)
          }}
          onComposing={setComposing}
        />
      ) : (
        <Loaded
          render={render}
          ref={code}
          {...{ text, onChange, onRun, label, assistance, remarks, place, placeholder, echo }}
          describedBy={saidId}
          onChecked={setSummary}
          onHelp={() => {
            setHelpOpen(true)
          }}
        />
      )}
      <FrameButton
        label="Query syntax (F1)"
        drawing="M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.6M8 12.6v.1"
        onClick={() => {
          setHelpOpen(true)
        }}
      />
      <FormatButton
        isOneLine={!text.includes('\n')}
        isDisabled={render === undefined || text.trim() === ''}
        onClick={() => {
          code.current?.run('format')
        }}
      />
      <VisuallyHidden as="div">
        <p id={saidId} role="status">
          {useRested(summary, readOutAfterMs)}
        </p>
        <p role="status">{status}</p>
      </VisuallyHidden>
      {isHelpOpen && (
        <QuerySyntax
          onClose={() => {
            setHelpOpen(false)
            focus()
          }}
        />
      )}
    </div>
  )
}

/** What was loaded, at a place of its own among the parts of the page. */
function Loaded({
  render,
  ...props
}: CodeEditorProps & { readonly render: typeof codeEditor }): ReactElement {
  return render(props)
}

/** The editor proper once it is loaded; where that fails the plain field goes on serving. */
function useCodeEditor(): typeof codeEditor | undefined {
  const [loaded, setLoaded] = useState<typeof codeEditor>()
  useEffect(() => {
    let isGone = false
    void import('./code-editor.tsx').then(
      (module) => {
        if (!isGone) setLoaded(() => module.codeEditor)
      },
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [])
  return loaded
}

/** Writes a query anew: in several lines, or back in one. */
function FormatButton({
  isOneLine,
  ...button
}: {
  isOneLine: boolean
  isDisabled: boolean
  onClick: () => void
}): ReactElement {
  return (
    <FrameButton
      {...button}
      label={isOneLine ? 'Format on several lines' : 'Format on one line'}
      drawing={isOneLine ? 'M3 4h10M6 8h7M6 12h5' : 'M3 8h10'}
    />
  )
}

/** A button within the frame of the field, as high as a line of it. */
function FrameButton({
  label,
  drawing,
  isDisabled = false,
  onClick,
}: {
  label: string
  drawing: string
  isDisabled?: boolean
  onClick: () => void
}): ReactElement {
  return (
    <ActionIcon
      flex="none"
      size="calc(var(--field-text) * 1.5 + 2 * var(--field-padding))"
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onClick}
    >
      <svg width="16" height="16" stroke="currentColor" strokeWidth="1.6" fill="none" aria-hidden>
        <path d={drawing} strokeLinecap="round" />
      </svg>
    </ActionIcon>
  )
}

/** A field of plain text that stands in for the editor until that is loaded. */
function PlainEditor({
  ref,
  text,
  onChange,
  onRun,
  label,
  placeholder,
  describedBy,
  place,
  onComposing,
}: {
  readonly ref: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onRun: (text: string) => void
  readonly label: string
  readonly placeholder: string
  readonly describedBy: string
  /** Takes the place of the caret when the field goes. */
  readonly place: RefObject<CaretPlace | undefined>
  readonly onComposing: (isComposing: boolean) => void
}): ReactElement {
  useLayoutEffect(() => {
    const field = ref.current
    // Behind what there is already, as in the editor: by itself it would be before it.
    field?.setSelectionRange(field.value.length, field.value.length)
    return () => {
      if (field !== null) place.current = caretPlaceOf(field)
    }
  }, [ref, place])
  return (
    <textarea
      ref={ref}
      className={css.plain}
      aria-label={label}
      aria-describedby={describedBy}
      placeholder={placeholder}
      rows={text.split('\n').length}
      value={text}
      autoCapitalize="off"
      autoCorrect="off"
      autoComplete="off"
      spellCheck={false}
      enterKeyHint="search"
      onChange={(event) => {
        onChange(event.target.value)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
        event.preventDefault()
        onRun(text)
      }}
      onCompositionStart={() => {
        onComposing(true)
      }}
      onCompositionEnd={() => {
        onComposing(false)
      }}
    />
  )
}

/** What the keys of the editor do outside of it, where they do the same. */
interface EditorKeyActions {
  readonly hasFocusKey: boolean
  readonly focus: () => void
  readonly runQuery: () => void
  readonly command: (name: EditorCommandName) => void
  readonly help: () => void
}

/** Tells of the keys of the editor in the list of keys; most of them work on the whole page. */
function useEditorKeys(actions: EditorKeyActions): void {
  const { hasFocusKey, focus, runQuery, command, help } = actions
  const commandKey = (key: string, label: string, name: EditorCommandName): KeyBinding => ({
    keys: [key],
    label,
    run: () => {
      command(name)
    },
  })
  useKeys('Query editor', [
    ...(hasFocusKey ? [{ keys: ['/'] as const, label: 'Edit query', run: focus }] : []),
    { keys: ['mod+enter'], label: 'Run query', run: runQuery },
    commandKey('f8', 'Next problem', 'nextProblem'),
    commandKey('mod+.', 'Fix problem', 'fix'),
    commandKey('mod+i', 'Explain word at the cursor', 'docs'),
    { keys: ['f1'], label: 'Query syntax', run: help },
    ...keysWithin.map(([keys, label]) => ({ keys: [keys] as const, label, run: focus })),
  ])
}

/** Keys that CodeMirror alone listens to; with its capital no key press of the page has such a name. */
const keysWithin: readonly (readonly [keys: string, label: string])[] = [
  ['Ctrl+Space', 'Suggestions; Tab or Enter accepts one'],
  ['Tab', 'Turn words just typed into conditions'],
  ['Enter Enter', 'Turn words into conditions and run'],
  ['Shift+F8', 'Previous problem'],
  ['Shift+Enter', 'New line'],
  ['Alt+ArrowUp', 'Previous query'],
  ['Alt+ArrowDown', 'Next query'],
  ['Mod+Shift+F', 'Format on one or several lines'],
]
