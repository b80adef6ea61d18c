import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { FileContent, OpenedPage } from '../page-data.ts'
import {
  addChange,
  changeValue,
  createHistory,
  endStep,
  mergeTexts,
  restoreFuture,
  restorePast,
  type TextHistory,
  type WrittenLocation,
} from './document-text.ts'
import type { AskServer } from './open-session.ts'

/** The edited text, and the actions on it. */
export type Editing = ReturnType<typeof useEditing>

/** Keeps the text, its history, and the file to compare it with. */
export function useEditing(opened: OpenedPage, ask: AskServer) {
  const [history, setHistory] = useState<TextHistory>(() => createHistory(opened.text))
  const [base, setBase] = useState<FileContent>(opened.file)
  const [changed, setChanged] = useState<FileContent>()
  const [told, setTold] = useState('')
  const [problem, setProblem] = useState('')
  const { text } = history
  const isDirty = text !== base.text
  const change = (next: string, step = '') => setHistory((now) => addChange(now, next, step))
  const latest = useRef({ base, isDirty })
  latest.current = { base, isDirty }
  /** Takes the content of the file as the one that the text is compared with. */
  const applyFile = (file: FileContent) => {
    setBase(file)
    setChanged(undefined)
  }
  const notice = (file: FileContent) => {
    const now = latest.current
    if (file.digest === now.base.digest) return setChanged(undefined)
    if (now.isDirty) return setChanged(file)
    applyFile(file)
    change(file.text)
    setTold('The file was changed by another program, and the page shows it as it is now.')
  }
  useFileWatch(ask, notice)
  const save = async (over: FileContent = base) => {
    try {
      const { isSaved, file } = await ask('save', { text, base: over.digest })
      setProblem('')
      if (!isSaved) return setChanged(file)
      applyFile(file)
      setTold('Saved.')
    } catch (error) {
      setProblem(`The file was not saved: ${(error as Error).message}.`)
    }
  }
  const changeField = ({ keys, encoding }: WrittenLocation, value: unknown, step: string) => {
    setHistory((now) => {
      try {
        return addChange(now, changeValue(now.text, { keys, encoding }, value), step)
      } catch {
        setTold('The text has another form here: change it in the text of the document.')
        return now
      }
    })
  }
  return {
    text,
    base,
    isDirty,
    history,
    changed,
    told,
    problem,
    change,
    changeField,
    save,
    applyFile,
    setTold,
    undo: () => setHistory(restorePast),
    redo: () => setHistory(restoreFuture),
    endStep: () => setHistory(endStep),
    merge: (file: FileContent) => mergeTexts(base.text, text, file.text),
  }
}

/** How often the page checks whether another program has changed the file, in milliseconds. */
const watchPauseMs = 2_000

function useFileWatch(ask: AskServer, notice: (file: FileContent) => void): void {
  const tell = useRef(notice)
  tell.current = notice
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible')
        ask('file').then(
          (file) => tell.current(file),
          () => undefined,
        ) // saving reports it
    }
    const timer = setInterval(look, watchPauseMs)
    window.addEventListener('focus', look)
    return () => {
      clearInterval(timer)
      window.removeEventListener('focus', look)
    }
  }, [])
}

/**
 * Saves, undoes and redoes with the usual keys. It uses a layout effect, because an effect after the next paint would save the text before
 * the last keystroke.
 */
export function useKeys({ undo, redo, save }: Editing): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return
      const act = { s: save, z: event.shiftKey ? redo : undo, y: redo }[event.key.toLowerCase()]
      if (!act) return
      event.preventDefault()
      void act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
}

/** Lets the browser ask before a tab with unsaved changes is closed. */
export function useLeaveWarning(changes: 'saved' | 'unsaved'): void {
  useEffect(() => {
    if (changes === 'saved') return undefined
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [changes])
}
