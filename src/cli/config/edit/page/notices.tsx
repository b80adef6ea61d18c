// Shows the notices of the page: changes that are not saved, a problem, and a file that another program has changed.

import { useEffect, useRef, useState } from 'preact/hooks'
import { absentDigest, type FileContent } from '../page-data.ts'
import type { Editing } from './editing.ts'
import { type AskServer, encodeBase64 } from './open-session.ts'

/** Asks whether the page may finish although there are changes that are not saved. The safe button has the focus. */
export function FinishDialog(props: { readonly onStay: () => void; readonly onFinish: () => void }) {
  const stay = useRef<HTMLButtonElement>(null)
  useEffect(() => stay.current?.focus(), [])
  return (
    <div class="notice" role="alertdialog" aria-label="Changes that are not saved">
      <p>There are changes that are not saved.</p>
      <div class="actions">
        <button type="button" ref={stay} onClick={props.onStay}>
          Go back to them
        </button>
        <button type="button" onClick={props.onFinish}>
          Finish without them
        </button>
      </div>
    </div>
  )
}

/** Says what went wrong with the last answer or the last change. */
export function Problem({ text }: { readonly text: string }) {
  return (
    <div class="notice" role="alert">
      <p>{text}</p>
    </div>
  )
}

/** Says that another program has changed the file, and offers what can be done with both changes. */
export function ChangedFile(props: {
  readonly ask: AskServer
  readonly editing: Editing
  readonly changed: FileContent
}) {
  const { ask, editing, changed } = props
  const [difference, setDifference] = useState<readonly string[]>()
  const isGone = changed.digest === absentDigest
  const take = () => {
    editing.applyFile(changed)
    editing.change(changed.text)
    editing.setTold('The page shows the file as it is now. Undo brings your changes back.')
  }
  const merge = () => {
    const merged = editing.merge(changed)
    if (!merged) return editing.setTold('One of the two is not a JSON object, so they cannot be merged.')
    editing.applyFile(changed)
    editing.change(merged.text)
    const both =
      merged.conflicts.length === 0 ? '' : ` Both had changed ${merged.conflicts.join(', ')}, where yours stays.`
    editing.setTold(`Your changes were made in the file as it is now, and are not saved yet.${both}`)
  }
  const keep = () => {
    editing.applyFile(changed)
    editing.setTold('Your text stays. Saving replaces what the other program wrote.')
  }
  const compare = async () => {
    const other = encodeBase64(new TextEncoder().encode(changed.text))
    const { problem, differences } = await ask('compare', { text: editing.text, with: 'other', other })
    const rows = differences.map(({ path, before, after }) => `${path}: ${before} in the file, ${after} here`)
    setDifference(problem === '' ? (rows.length === 0 ? ['A client applies both alike.'] : rows) : [problem])
  }
  return (
    <div class="notice" role="alert" id="changed">
      <p>
        Another program has {isGone ? 'removed' : 'changed'} the file since this page read it. Nothing of it is lost:
        choose what to do.
      </p>
      {difference && (
        <ul>
          {difference.map((row) => (
            <li key={row}>{row}</li>
          ))}
        </ul>
      )}
      <div class="actions">
        <button type="button" onClick={() => void compare()}>
          Show the difference
        </button>
        {!isGone && (
          <button type="button" onClick={merge}>
            Make my changes in it
          </button>
        )}
        {!isGone && (
          <button type="button" onClick={take}>
            Take the file
          </button>
        )}
        <button type="button" onClick={keep}>
          Keep my text
        </button>
      </div>
    </div>
  )
}
