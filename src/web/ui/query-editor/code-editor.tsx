import { startCompletion } from '@codemirror/autocomplete'
import { isolateHistory } from '@codemirror/commands'
import { EditorState, type Transaction } from '@codemirror/state'
import { EditorView, placeholder } from '@codemirror/view'
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
import { type CaretPlace, changeBetween, type Echo } from './text-change.ts'

/** What the part of the editor that is CodeMirror takes; query-editor.tsx is around it. */
export interface CodeEditorProps extends EditorHost {
  readonly text: string
  readonly placeholder: string
  readonly remarks: readonly Diagnostic[]
  /** Where the caret was in the plain field that this one takes the place of. */
  readonly place: RefObject<CaretPlace | undefined>
  /** What was reported of the plain field, and is reported of this one. */
  readonly echo: Echo
  readonly ref: Ref<CodeEditorHandle>
}

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
  const { text, remarks, assistance, echo, ref } = props
  const parent = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
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
    // What stood in the plain field last may come back only after this.
    for (const one of new Set([known, doc])) echo.report(one)
    const hold = createCaretHold()
    const made = new EditorView({
      parent: parent.current,
      doc,
      // Where nothing was typed yet, typing goes on behind what there is.
      selection: selection ?? { anchor: doc.length },
      extensions: [
        // Positions are those of the text that is reported, whatever ends its lines.
        EditorState.lineSeparator.of('\n'),
        EditorView.cspNonce.of(nonce),
        editorHost.of(() => latest.current),
        EditorState.transactionFilter.of((one) =>
          hold.isOver() || !isMoveToStart(one) ? one : [],
        ),
        editorExtensions,
        placeholder(placeholderElement(latest.current.placeholder)),
        EditorView.updateListener.of(({ docChanged, transactions, state }) => {
          if (!docChanged || transactions.some((one) => one.isUserEvent(given))) return
          const now = state.doc.toString()
          echo.report(now)
          latest.current.onChange(now)
        }),
      ],
    })
    view.current = made
    if (selection?.hasFocus === true) made.focus()
    hold.begin(made)
    return () => {
      hold.end()
      made.destroy()
      view.current = undefined
    }
  }, [nonce, echo])

  useEffect(() => {
    if (echo.isEcho(text)) return
    change(view.current, text, given)
  }, [text, echo])

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
        if (view.current === undefined || edit === undefined) return
        const { doc, selection } = view.current.state
        const behind = doc.sliceString(selection.main.head, selection.main.head + 1)
        // Only where a value has to be written yet.
        if (!/[:>]$/.test(edit.insert) || behind.trim() !== '') return
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

/** What stands in an empty editor; it is drawn, so that nobody takes it for its text. */
function placeholderElement(text: string): HTMLElement {
  const element = document.createElement('span')
  element.setAttribute('data-text', text)
  return element
}

/**
 * Keeps the caret of a new editor where it belongs until somebody moves it: Chromium may move the caret to the start while an editor that was just made draws its text anew, and
 * typing would go on there. It is put back before that, and the editor does not take it for a choice.
 * As each letter draws text anew, letters do not end this: keys that move the caret do, and the pointer.
 */
function createCaretHold() {
  const over = new AbortController()
  const { signal } = over
  const end = (): void => {
    over.abort()
  }
  return {
    end,
    isOver: () => signal.aborted,
    begin: (view: EditorView) => {
      const { contentDOM } = view
      let hasTyped = false
      const putBack = (event: Event): void => {
        const selection = getSelection()
        const { main } = view.state.selection
        // What is selected is somebody's choice, and what is being composed is not in the state yet.
        if (!view.hasFocus || !main.empty || selection?.isCollapsed !== true) return
        if (view.compositionStarted) return
        const { anchorNode, anchorOffset } = selection
        const isWithin = anchorNode !== null && contentDOM.contains(anchorNode)
        const at = isWithin ? view.posAtDOM(anchorNode, anchorOffset) : 0
        if (at === main.head && isWithin) return
        // Once there was a letter only the start is no place that a caret could have been moved to.
        if (hasTyped && at !== 0) return
        const { node, offset } = view.domAtPos(main.head)
        selection.collapse(node, offset)
        if (event.type === 'selectionchange') event.stopImmediatePropagation()
      }
      document.addEventListener('selectionchange', putBack, { capture: true, signal })
      // The key of the first letter may still have gone to the plain field.
      contentDOM.addEventListener(
        'keydown',
        (event) => {
          putBack(event)
          if (!isLetter(event)) end()
        },
        { capture: true, signal },
      )
      contentDOM.addEventListener(
        'beforeinput',
        (event) => {
          putBack(event)
          hasTyped = true
        },
        { capture: true, signal },
      )
      for (const type of ['pointerdown', 'blur']) contentDOM.addEventListener(type, end, { signal })
    },
  }
}

/** The editor reads so where the caret stands, also before an event says that it has moved. */
function isMoveToStart(one: Transaction): boolean {
  const to = one.selection?.main
  return one.isUserEvent('select') && !one.docChanged && to?.empty === true && to.head === 0
}

/** A key that writes something; one with Control or Command may select all, or go back. */
function isLetter({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key.length === 1 && !ctrlKey && !metaKey
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
