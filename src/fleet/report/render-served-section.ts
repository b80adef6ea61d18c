import { renderBar, renderHtmlTable, renderLongTable } from '../../client/page/render-html-table.ts'
import { renderCount } from '../../runtime/text/counted.ts'
import type { FleetSummary } from '../logs/fleet-summary.ts'
import type { ServedSummary } from '../logs/served-answers.ts'
import { renderMoment, renderShare } from './report-words.ts'

/** Renders the people by release of the configuration, and the reasons of refusals; empty without the audit of a configuration server. */
export function renderServedSection({ served }: FleetSummary): string {
  if (!served) return ''
  const parts = [renderReleases(served), renderRefusals(served), renderDeviceSteps(served), renderPeople(served)]
  return `<section id="served"><h2>Who runs which release</h2>
<div class="beside">${parts.filter(Boolean).join('\n')}</div></section>`
}

function renderReleases({ releases, people }: ServedSummary): string {
  if (releases.length === 0) return '<p>Nobody has got a document.</p>'
  const most = Math.max(...releases.map((release) => release.people))
  const rows = releases.map(({ release, people: count, seenAt }) => [
    release,
    renderCount(count),
    { html: renderBar(count, most, 'calls'), className: 'drawn' },
    renderShare(count, people.length),
    renderMoment(seenAt),
  ])
  const head = ['release', '#people', '', '#share', 'latest answer (UTC)']
  return renderHtmlTable('People by the release of their latest document', head, rows)
}

function renderRefusals({ refusals, omitted }: ServedSummary): string {
  const rows = refusals.map(({ reason, answers }) => [reason, renderCount(answers)])
  const counted = omitted === 0 ? [] : [['strangers, only counted', renderCount(omitted)]]
  if (rows.length + counted.length === 0) return ''
  return renderHtmlTable('Answers without a document', ['why', '#answers'], [...rows, ...counted])
}

function renderDeviceSteps({ deviceSteps }: ServedSummary): string {
  if (deviceSteps.length === 0) return ''
  const rows = deviceSteps.map(({ step, times }) => [step, renderCount(times)])
  return renderHtmlTable('Device sign-ins', ['step', '#times'], rows)
}

function renderPeople({ people }: ServedSummary): string {
  if (people.length === 0) return ''
  const rows = people.map(({ person, release, seenAt }) => [person, release, renderMoment(seenAt)])
  return renderLongTable('People', ['issuer and person', 'release', 'latest answer (UTC)'], rows)
}
