import fs from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { asksForHelp } from '../../../src/shared/help-answers';
import { LANGUAGES } from '../../../src/shared/languages';

test('recognizes the suggested call for help and the check-in’s in every language', () => {
  for (const { code } of LANGUAGES.filter((language) => language.code !== 'en'))
    for (const [file, text] of [
      ['compose', 'Need help'],
      ['check-in', 'I need help'],
    ] as const) {
      const texts = JSON.parse(
        fs.readFileSync(`src/languages/${code}/${file}.json`, 'utf8'),
      ) as Record<string, string>;
      assert.ok(asksForHelp(texts[text] ?? ''), `${code}: ${texts[text]}`);
    }
  const calls = ['Need help', 'I NEED HELP now', "J'ai besoin d'aide", '“SOS!”', '🆘', '🆘 Help'];
  calls.push('¡Ayuda!', 'POTRZEBUJĘ POMOCY', 'Send help', 'HILFE', 'Notfall', 'A l’aide !');
  calls.push('Not safe', 'Please help me', 'I need urgent help', 'Brauche dringend Hilfe');
  calls.push('Ayúdame', 'Pomóż mi', 'أنا بحاجة إلى مساعدة', 'Need help?');
  for (const text of calls) assert.ok(asksForHelp(text), text);
  const others = ['Safe', 'No need', 'No help needed', 'Helped', 'I can help', '👍', ''];
  others.push('Help is on the way', 'Emergency over', 'Keine Hilfe nötig', 'Need helpers');
  others.push('Need help? No', 'Nicht sicher');
  for (const text of others) assert.not.ok(asksForHelp(text), text);
});

test.run();
