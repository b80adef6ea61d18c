import { useEffect, useState } from 'preact/hooks'
import type { ExportedFiles, OpenedPage } from '../page-data.ts'
import { Findings } from './fields.tsx'
import { type PartProps, useAnswer } from './parts.tsx'

/** Shows the exports, to look at and to save. */
export function ExportPart({ ask, text, release, formats }: PartProps & Pick<OpenedPage, 'release' | 'formats'>) {
  const [to, setTo] = useState('')
  const [texts, setTexts] = useState({ identifier: '', organization: '', moreInfoUrl: '' })
  const wanted = { text, to, release, ...texts }
  const { answer, problem } = useAnswer(
    () => ask('export', wanted),
    to === '' ? undefined : JSON.stringify(wanted),
    300,
  )
  const createInput = (name: keyof typeof texts, label: string) => (
    <label>
      <span>{label}</span>
      <input
        value={texts[name]}
        autocomplete="off"
        onInput={({ currentTarget }) => setTexts({ ...texts, [name]: currentTarget.value })}
      />
    </label>
  )
  return (
    <>
      <div class="options">
        <label>
          <span>Format</span>
          <select value={to} onChange={({ currentTarget }) => setTo(currentTarget.value)}>
            <option value="">choose one</option>
            {formats.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {to === 'mobileconfig' && createInput('identifier', 'Identifier, such as com.example.ai (optional)')}
        {to === 'mobileconfig' && createInput('organization', 'Organization (optional)')}
        {to === 'compliance' && createInput('moreInfoUrl', 'The https page that tells people what to do')}
      </div>
      {to !== '' && <p>{formats.find(({ name }) => name === to)?.summary}.</p>}
      {to !== '' && <Export exported={answer} problem={problem} />}
    </>
  )
}

function Export({ exported, problem }: { readonly exported: ExportedFiles | undefined; readonly problem: string }) {
  if (problem !== '') return <p role="alert">{problem}</p>
  if (!exported) return <p>Exporting …</p>
  return (
    <>
      {exported.problem !== '' && <p role="alert">{exported.problem}</p>}
      <Findings findings={exported.findings} onVisit={() => undefined} />
      {exported.files.map(({ name, content }) => (
        <ExportFile key={name} name={name} content={content} />
      ))}
      {exported.next !== '' && <p>Next: {exported.next}</p>}
    </>
  )
}

function ExportFile({ name, content }: ExportedFiles['files'][number]) {
  const [address, setAddress] = useState('')
  const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0))
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes]))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [content])
  const file = name.slice(name.lastIndexOf('/') + 1)
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return (
    <>
      <h3>
        <code>{name}</code>
      </h3>
      <p>
        <a class="button" href={address} download={file}>
          Save {file}
        </a>
      </p>
      <textarea
        class="content"
        readOnly
        aria-label={`The content of ${name}`}
        value={new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)}
      />
    </>
  )
}
