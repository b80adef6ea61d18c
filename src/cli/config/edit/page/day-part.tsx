import { useLayoutEffect, useState } from 'preact/hooks'
import type { DrawnDay, Examined, OpenedPage } from '../page-data.ts'
import { type PartProps, useAnswer } from './parts.tsx'

/** Shows a working day with the document, played again whenever a value changes. */
export function DayPart({
  ask,
  text,
  scenarios,
  kind,
}: PartProps & Pick<OpenedPage, 'scenarios'> & Pick<Examined, 'kind'>) {
  const [scenario, setScenario] = useState('workday')
  const [life, setLife] = useState('3600')
  const isSignIn = kind === 'interactive' || kind === 'external-idp'
  const fitting = scenarios.filter((row) => row.kind === '' || (row.kind === 'external-idp') === isSignIn)
  const tokenLifeSec = /^[1-9]\d{0,7}$/.test(life) ? Number(life) : undefined
  const question = tokenLifeSec === undefined ? undefined : JSON.stringify([text, scenario, tokenLifeSec])
  const { answer, problem } = useAnswer(() => ask('day', { text, scenario, tokenLifeSec }), question, 600)
  return (
    <>
      <p>
        The helper or the person is simulated and answers at once: nothing is run, and nothing leaves this machine. The
        times are those of the document.
      </p>
      <div class="options">
        <label>
          <span>Scenario</span>
          <select value={scenario} onChange={({ currentTarget }) => setScenario(currentTarget.value)}>
            {fitting.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>How long a token lives, in seconds</span>
          <input
            inputMode="numeric"
            value={life}
            aria-invalid={tokenLifeSec === undefined}
            onInput={({ currentTarget }) => setLife(currentTarget.value)}
          />
        </label>
      </div>
      <p>{fitting.find(({ name }) => name === scenario)?.summary}.</p>
      {problem !== '' && <p role="alert">{problem}</p>}
      {answer ? <Day played={answer} /> : <p>Playing …</p>}
    </>
  )
}

declare global {
  /** Makes the marks of every chart in the page work; defined beside this script. */
  function enableCharts(): void
}

function Day({ played }: { readonly played: DrawnDay }) {
  useLayoutEffect(() => {
    if (played.timeline !== '') enableCharts()
  }, [played.timeline])
  if (played.problem !== '') return <p>{played.problem}</p>
  return (
    <>
      <p class={`headline ${played.isWell ? 'well' : 'failing'}`} role="status">
        {played.verdict}
      </p>
      <dl>
        {played.numbers.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {played.conclusions.map((words) => (
        <p key={words}>{words}</p>
      ))}
      <div dangerouslySetInnerHTML={{ __html: played.timeline }} />
    </>
  )
}
