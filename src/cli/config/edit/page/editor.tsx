import { useMemo, useState } from 'preact/hooks'
import { absentDigest, type Examined, type OpenedPage } from '../page-data.ts'
import { DayPart } from './day-part.tsx'
import { changeValue, parseObjectText } from './document-text.ts'
import { type Editing, useEditing, useKeys, useLeaveWarning } from './editing.ts'
import { ExportPart } from './export-part.tsx'
import { Fields, Findings, toDomId } from './fields.tsx'
import { ChangedFile, FinishDialog, Problem } from './notices.tsx'
import type { AskServer } from './open-session.ts'
import { DifferencePart, ReleasePart, TextPart, useAnswer } from './parts.tsx'

const parts = [
  ['findings', 'Findings'],
  ['fields', 'Fields'],
  ['document', 'Text'],
  ['difference', 'Difference'],
  ['releases', 'Client releases'],
  ['exports', 'Exports'],
  ['day', 'Working day'],
] as const

/** Shows the whole page: the bar with what can be done, and its parts below. */
export function Editor({ opened, ask }: { readonly opened: OpenedPage; readonly ask: AskServer }) {
  const editing = useEditing(opened, ask)
  const { text, base, isDirty, history } = editing
  const [release, setRelease] = useState(opened.release)
  const [system, setSystem] = useState('')
  const [isFinishing, setFinishing] = useState(false)
  const [isFinished, setFinished] = useState(false)
  const question = JSON.stringify([text, release, system, base.digest])
  const { answer, problem } = useAnswer(() => ask('examine', { text, release, system }), question, 150)
  useKeys(editing)
  useLeaveWarning(isDirty && !isFinished ? 'unsaved' : 'saved')
  const finish = () => {
    setFinished(true)
    ask('finish').catch(() => undefined) // it has ended already
  }
  if (isFinished) return <Finished name={opened.name} />
  if (!answer) return <p role="status">{problem === '' ? 'Checking …' : problem}</p>
  return (
    <>
      <Bar name={opened.name} editing={editing} onFinish={() => (isDirty ? setFinishing(true) : finish())} />
      <PageLinks />
      <p class="status" role="status" aria-live="polite">
        {editing.told} {answer.conclusion}
      </p>
      <main>
        {problem !== '' && <Problem text={problem} />}
        {isFinishing && <FinishDialog onStay={() => setFinishing(false)} onFinish={finish} />}
        {editing.problem !== '' && <Problem text={editing.problem} />}
        {editing.changed && <ChangedFile ask={ask} editing={editing} changed={editing.changed} />}
        <Part id="findings">
          <CheckOptions
            release={release}
            setRelease={setRelease}
            system={system}
            setSystem={setSystem}
            systems={opened.systems}
          />
          <Conclusion examined={answer} editing={editing} />
        </Part>
        <Part id="fields">
          <DocumentFields fields={opened.fields} examined={answer} editing={editing} />
        </Part>
        <Part id="document">
          <TextPart text={text} onChange={(next) => editing.change(next, 'text')} onLeave={editing.endStep} />
        </Part>
        <Part id="difference">
          <DifferencePart ask={ask} text={text} base={base.digest} />
        </Part>
        <Part id="releases">
          <ReleasePart releases={answer.releases} />
        </Part>
        <Part id="exports">
          <ExportPart ask={ask} text={text} release={release} formats={opened.formats} />
        </Part>
        <Part id="day">
          <DayPart key={answer.kind} ask={ask} text={text} scenarios={opened.scenarios} kind={answer.kind} />
        </Part>
        <p>
          {history.past.length} changes can be undone. Keys: Ctrl+S saves, Ctrl+Z undoes, Ctrl+Shift+Z does it again.
        </p>
      </main>
    </>
  )
}

function Finished({ name }: { readonly name: string }) {
  return (
    <main>
      <h1>
        <bdi>{name}</bdi> is closed
      </h1>
      <p role="status">The command has ended. You can close this tab.</p>
    </main>
  )
}

function Bar(props: { readonly name: string; readonly editing: Editing; readonly onFinish: () => void }) {
  const { name, editing, onFinish } = props
  const { history, isDirty, base } = editing
  const isNew = base.digest === absentDigest
  const state = isNew ? 'a new file, not saved yet' : isDirty ? 'changes that are not saved' : 'as it is saved'
  return (
    <header class="bar">
      <h1>
        <bdi>{name}</bdi>
        <span class="state" id="state">
          {state}
        </span>
      </h1>
      <div class="actions">
        <button type="button" disabled={history.past.length === 0} onClick={editing.undo}>
          Undo
        </button>
        <button type="button" disabled={history.future.length === 0} onClick={editing.redo}>
          Redo
        </button>
        <button type="button" class="main" disabled={!isDirty} onClick={() => void editing.save()}>
          Save
        </button>
        <button type="button" onClick={onFinish}>
          Finish
        </button>
      </div>
    </header>
  )
}

function PageLinks() {
  const visit = (event: Event, id: string) => {
    event.preventDefault()
    const heading = document.getElementById(id)
    heading?.scrollIntoView()
    heading?.focus({ preventScroll: true })
  }
  return (
    <nav aria-label="Parts of this page">
      <ul>
        {parts.map(([id, title]) => (
          <li key={id}>
            <a href={`#${id}`} onClick={(event) => visit(event, id)}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Part(props: { readonly id: (typeof parts)[number][0]; readonly children: preact.ComponentChildren }) {
  const title = parts.find(([id]) => id === props.id)?.[1]
  return (
    <section aria-labelledby={props.id}>
      <h2 id={props.id} tabIndex={-1}>
        {title}
      </h2>
      {props.children}
    </section>
  )
}

interface CheckOptionsProps {
  readonly release: string
  readonly setRelease: (release: string) => void
  readonly system: string
  readonly setSystem: (system: string) => void
  readonly systems: OpenedPage['systems']
}

function CheckOptions({ release, setRelease, system, setSystem, systems }: CheckOptionsProps) {
  const isUsable = release === '' || /^\d{1,9}(\.\d{1,9})*$/.test(release)
  return (
    <div class="options">
      <label>
        <span>Release of the installed client, such as 1.14271.0 (optional)</span>
        <input
          value={release}
          autocomplete="off"
          aria-invalid={!isUsable}
          onInput={({ currentTarget }) => setRelease(currentTarget.value.trim())}
        />
      </label>
      <label>
        <span>Checked for</span>
        <select value={system} onChange={({ currentTarget }) => setSystem(currentTarget.value)}>
          {systems.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

/** Shows whether the document works, with its findings and what can be done about them. */
function Conclusion({ examined, editing }: ExaminedProps) {
  const { conclusion, findings, shape } = examined
  return (
    <>
      <p class={`headline ${/^This document works/.test(conclusion) ? 'well' : 'failing'}`}>{conclusion}</p>
      <Findings findings={findings} onVisit={setFocus} />
      <OtherKinds findings={findings} editing={editing} isNested={shape === 'nested'} />
    </>
  )
}

interface ExaminedProps {
  readonly examined: Examined
  readonly editing: Editing
}

function DocumentFields({ fields, examined, editing }: ExaminedProps & Pick<OpenedPage, 'fields'>) {
  const { text, changeField, endStep } = editing
  const object = useMemo(() => parseObjectText(text), [text])
  return (
    <>
      {object === undefined && (
        <p role="alert">
          The text is not a JSON object, so no field can be changed: correct the text, or undo the last change.
        </p>
      )}
      <Fields fields={fields} examined={examined} object={object} onChange={changeField} onLeave={endStep} />
    </>
  )
}

function setFocus(field: string): void {
  const target = document.getElementById(toDomId(field)) ?? document.getElementById(`${toDomId(field)}-findings`)
  target?.scrollIntoView({ block: 'center' })
  target?.focus({ preventScroll: true })
}

/** Takes the fields of other kinds away, which are left when somebody changes the kind. */
function OtherKinds(props: {
  readonly findings: readonly { readonly code: string; readonly path: string }[]
  readonly editing: Editing
  readonly isNested: boolean
}) {
  const { findings, editing, isNested } = props
  const paths = findings.filter(({ code }) => code === 'other-kind').map(({ path }) => path)
  if (paths.length === 0) return null
  const removeAll = () => {
    const location = (path: string) => ({ keys: isNested ? path.split('.') : [path], encoding: 'native' }) as const
    editing.change(paths.reduce((text, path) => changeValue(text, location(path), undefined), editing.text))
  }
  return (
    <p>
      <button type="button" onClick={removeAll}>
        Remove {paths.length === 1 ? 'the field' : `the ${paths.length} fields`} of other kinds
      </button>
    </p>
  )
}
