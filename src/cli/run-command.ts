// Runs the program: an error becomes one line on stderr and an exit code, results go to stdout.
import { type Command, CommanderError, type Option } from 'commander';
import { ERRORS, errorCode } from '../errors.ts';
import { adviceOn } from './advice.ts';

/** Bad usage or bad input: the user can mend it. */
const EXIT_USER = 2;
/** Our fault or the machine's. */
const EXIT_FAILURE = 1;

/** Parses `argv` (as in `process.argv`), runs the chosen command and returns the exit code. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  inheritSettings(program);
  // `f3 … | head` closes our output early; that is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : EXIT_FAILURE));
  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    return reportError(error);
  }
}

/** A command's result: `value` as one line of JSON when asked for, else `text`. */
export function printResult(value: unknown, text: string, json: boolean | undefined): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** Says what went wrong on stderr and returns the exit code. Only faults of our own show where they happened. */
export function reportError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USER; // commander has spoken
  const code = errorCode(error);
  if (code) {
    const advice = adviceOn(error);
    process.stderr.write(`f3: ${(error as Error).message}${advice ? `; ${advice}` : ''} [${code}]\n`);
    return ERRORS[code].status < 500 ? EXIT_USER : EXIT_FAILURE;
  }
  if (error instanceof Error && 'syscall' in error) {
    process.stderr.write(`f3: ${error.message}\n`);
    return EXIT_FAILURE;
  }
  const trace = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`f3: internal error, please report it\n${trace}\n`);
  return EXIT_FAILURE;
}

/** Errors are thrown, not exited on, and followed by how to get help, in every command of the tree. */
function inheritSettings(command: Command): void {
  command.exitOverride().showHelpAfterError(`Try: ${commandPath(command)} --help`);
  command.configureOutput({ outputError: (text, write) => write(usageError(text)) });
  nameMistakes(command);
  for (const child of command.commands) inheritSettings(child);
}

/** What commander calls on a mistake; its types leave these two out. */
interface Mistakes {
  missingMandatoryOptionValue(option: Option): void;
  unknownOption(flag: string): void;
}

/**
 * Commander looks for missing options before unknown ones, so `--bundle` would be answered with a missing `--bundles`.
 * Whoever typed an unknown option hears of that one, with commander's suggestion. Unknown options stand last in `args`.
 */
function nameMistakes(command: Command): void {
  const mistakes = command as unknown as Mistakes;
  const unknownOption = mistakes.unknownOption.bind(command);
  const missing = mistakes.missingMandatoryOptionValue.bind(command);
  mistakes.unknownOption = (flag) => unknownOption(flag.split('=')[0]);
  mistakes.missingMandatoryOptionValue = (option) => {
    const unknown = command.args.find((word) => word.startsWith('--') && word.length > 2);
    if (unknown !== undefined) mistakes.unknownOption(unknown);
    missing(option);
  };
}

/** Commander's `error: …`, maybe with a suggestion on a second line, as one line like every other error of ours. */
function usageError(text: string): string {
  return `f3: ${text
    .replace(/^error: /, '')
    .trim()
    .replaceAll('\n', ' ')} [F3_OPTION]\n`;
}

function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}
