/** `measure check`: whether everything but the model works here. */
import { MeasureCommand } from '../cli/command.js';
import type { CheckStep } from '../host/check-step.js';

export default class Check extends MeasureCommand {
  static override summary = 'Check server, host and log here, on artificial records, without a model call.';
  static override description =
    `Goes through handshake, catalog, pages, cache, aggregate, detail and every failure, with the real server over real
pipes, and through the receipts of a failed start-up and of a failed trial. Exit code 1 where one step fails.`;
  static override examples = ['<%= config.bin %> check'];

  async run(): Promise<{ passed: boolean; steps: CheckStep[] }> {
    await this.parse(Check);
    const { runCheck } = await import('../host/check.js');
    const steps: CheckStep[] = [];
    for await (const step of runCheck()) {
      steps.push(step);
      await this.print(
        `${step.passed ? 'ok  ' : 'FAIL'} ${step.name}${step.detail === null ? '' : `: ${step.detail}`}`,
      );
    }
    const passed = steps.every((step) => step.passed);
    const paths =
      'local MCP handshake, catalog, baseline, pagination, cache, aggregate, detail, receipts and failures; no model call';
    await this.print(
      passed
        ? `PASS: ${paths}`
        : `FAIL: ${steps.filter((step) => !step.passed).length} of ${steps.length} steps`,
    );
    if (!passed) this.exitWith(1);
    return { passed, steps };
  }
}
