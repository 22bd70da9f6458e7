import { foldCase } from '../../src/shared/case-fold';
import type { ColumnUse } from '../../src/shared/contract';

export type ImportColumn = Exclude<ColumnUse, 'ignore'>;

/** Longer names are unknown. */
const MAX_COLUMN_NAME_LENGTH = 60;

/** The names are English, German, Spanish, French, Polish and Arabic. */
const NAMES_BY_COLUMN: Record<ImportColumn, string[]> = {
  username: [
    ...['username', 'user', 'login', 'login name', 'user id'],
    ...['Benutzername', 'Benutzer', 'Anmeldename', 'Nutzername'],
    ...['nombre de usuario', 'usuario'],
    ...['nom d’utilisateur', 'utilisateur', 'identifiant'],
    ...['nazwa użytkownika', 'użytkownik'],
    ...['اسم المستخدم', 'المستخدم'],
  ],
  email: [
    ...['email', 'email address', 'mail'],
    ...['Email-Adresse', 'Mailadresse'],
    ...['correo electrónico', 'correo', 'dirección de correo electrónico'],
    ...['adresse email', 'adresse mail', 'courriel', 'adresse électronique'],
    ...['adres email'],
    ...['البريد الإلكتروني', 'بريد إلكتروني', 'عنوان البريد الإلكتروني'],
  ],
  role: ['role', 'user role', 'Rolle', 'rol', 'rôle', 'rola', 'الدور', 'دور'],
  topics: [
    ...['topics', 'topic'],
    ...['Themen', 'Thema'],
    ...['temas', 'tema'],
    ...['sujets', 'sujet', 'thèmes', 'thème'],
    ...['tematy', 'temat'],
    ...['المواضيع', 'الموضوعات', 'مواضيع', 'الموضوع'],
  ],
  teams: [
    ...['teams', 'team', 'crew', 'crews'],
    ...['Gruppen', 'Gruppe'],
    ...['equipos', 'equipo'],
    ...['équipes', 'équipe'],
    ...['zespoły', 'zespół'],
    ...['الفرق', 'الفريق', 'فرق', 'فريق'],
  ],
};

/** Column names match by their letters and digits, without accents. */
const toKey = (name: string): string =>
  foldCase(name)
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '');

const COLUMN_BY_NAME = new Map(
  Object.entries(NAMES_BY_COLUMN).flatMap(([column, names]) =>
    names.map((name) => [toKey(name), column as ImportColumn] as const),
  ),
);

export const findColumn = (name: string): ImportColumn | undefined =>
  name.length > MAX_COLUMN_NAME_LENGTH ? undefined : COLUMN_BY_NAME.get(toKey(name));
