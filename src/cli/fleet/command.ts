import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addFleetReport } from './report/command.ts'

/** `gatepass fleet …`: all machines together. */
export function addFleet(program: Command, cli: Cli): void {
  const fleet = program.command('fleet').description('say what collected logs tell about all machines')
  addFleetReport(fleet, cli)
}
