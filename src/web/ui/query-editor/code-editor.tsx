import { startCompletion } from '@codemirror/autocomplete'
import { isolateHistory } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useMantineStyleNonce } from '@mantine/core'
import {
  type ReactElement,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react'
import { applyEdits, type Diagnostic, type TextEdit } from '../../../search/diagnostic.ts'
import { editorExtensions } from './editor-extensions.ts'
import { type EditorHost, editorHost } from './editor-host.ts'
import css from './query-editor.module.css'
import { type EditorCommandName, editorCommands } from './query-keymap.ts'
import { recheck, setRemarks } from './query-problems.ts'
import { type CaretPlace, changeBetween } from './text-change.ts'

/** What the part of the editor that is CodeMirror takes; query-editor.tsx is around it. */
export interface CodeEditorProps extends EditorHost {
  readonly text: string
  readonly remarks: readonly Diagnostic[]
  /** Where the caret was in the plain field that this one takes the place of. */
  readonly place: RefObject<CaretPlace | undefined>
  readonly ref: Ref<CodeEditorHandle>
}

/** What can be done to the editor from outside. */
export interface CodeEditorHandle {
  readonly apply: (edits: readonly TextEdit[]) => void
  readonly focus: () => void
  readonly run: (name: EditorCommandName) => void
}

/** A `CodeEditor`, to be loaded on demand. */
export function codeEditor(props: CodeEditorProps): ReactElement {
  return <CodeEditor {...props} />
}

/** The query with highlighting, suggestions, remarks and fixes; CodeMirror owns the text. */
function CodeEditor(props: CodeEditorProps): ReactElement {
  const { text, remarks, assistance, ref } = props
  const parent = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const echo = useRef(createEcho())
  const latest = useRef(props)
  useLayoutEffect(() => {
    latest.current = props
  })
  const nonce = useMantineStyleNonce()?.() ?? ''

  useLayoutEffect(() => {
    if (parent.current === null) return
    const { text: known, place } = latest.current
    const selection = place.current
    const doc = selection?.text ?? known
    // What was typed last may have been reported, and come back only after this.
    for (const one of new Set([known, doc])) echo.current.report(one)
    const made = new EditorView({
      parent: parent.current,
      doc,
      ...(selection && { selection }),
      extensions: [
        // Positions are those of the text that is reported, whatever ends its lines.
        EditorState.lineSeparator.of('\n'),
        EditorView.cspNonce.of(nonce),
        editorHost.of(() => latest.current),
        editorExtensions,
        EditorView.updateListener.of(({ docChanged, transactions, state }) => {
          if (!docChanged || transactions.some((one) => one.isUserEvent(given))) return
          const now = state.doc.toString()
          echo.current.report(now)
          latest.current.onChange(now)
        }),
      ],
    })
    view.current = made
    if (selection?.hasFocus === true) made.focus()
    return () => {
      made.destroy()
      view.current = undefined
    }
  }, [nonce])

  useEffect(() => {
    if (echo.current.isEcho(text)) return
    change(view.current, text, given)
  }, [text])

  useEffect(() => {
    view.current?.dispatch({ effects: setRemarks.of(remarks) })
  }, [remarks])

  useEffect(() => {
    view.current?.dispatch({ effects: recheck.of(null) })
  }, [assistance])

  useImperativeHandle(
    ref,
    () => ({
      apply: (edits) => {
        const now = view.current?.state.doc.toString() ?? ''
        const edit = change(view.current, applyEdits(now, edits), 'edit.applied')
        if (view.current === undefined || !/[:>]$/.test(edit?.insert ?? '')) return
        view.current.focus()
        startCompletion(view.current)
      },
      focus: () => view.current?.focus(),
      run: (name) => {
        if (view.current === undefined) return
        view.current.focus()
        editorCommands[name](view.current)
      },
    }),
    [],
  )

  return <div ref={parent} className={css.code} />
}

/** What the holder of the text wrote; it is not reported to them again. */
const given = 'edit.given'

function change(
  view: EditorView | undefined,
  text: string,
  userEvent: string,
): TextEdit | undefined {
  const edit = view && changeBetween(view.state.doc.toString(), text)
  if (edit === undefined) return undefined
  // A caret at the end stays at the end of what is given, so that typing goes on behind it.
  const isAtEnd = view?.state.selection.main.head === view?.state.doc.length
  const caret = userEvent !== given ? edit.from + edit.insert.length : isAtEnd ? text.length : null
  view?.dispatch({
    changes: edit,
    ...(caret === null ? {} : { selection: { anchor: caret } }),
    userEvent,
    annotations: isolateHistory.of('full'),
  })
  return edit
}

/**
 * Tells what comes back from the holder of a text apart from what the holder changed: a slow one
 * gives back what was typed three letters ago, and that must not undo the three letters.
 */
export interface Echo {
  /** The text is reported. */
  readonly report: (text: string) => void
  /** Whether this text, which is given, was reported before and comes back only now. */
  readonly isEcho: (text: string) => boolean
}

/** Has reported nothing yet. */
export function createEcho(): Echo {
  let reported: readonly string[] = []
  return {
    report: (text) => {
      reported = [...reported, text].slice(-most)
    },
    isEcho: (text) => {
      const at = reported.lastIndexOf(text)
      // What was reported before it will not come back any more, and nor will anything after a change.
      reported = at < 0 ? [] : reported.slice(at + 1)
      return at >= 0
    },
  }
}

/** Nobody is that slow. */
const most = 100
